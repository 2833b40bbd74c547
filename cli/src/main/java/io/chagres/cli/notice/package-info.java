/** Hears from the cloud that this machine will vanish. */
@NullMarked
package io.chagres.cli.notice;

import org.jspecify.annotations.NullMarked;
