/** Which ships live, which are late, and what is at risk: of an archive, or of this machine. */
@NullMarked
package io.chagres.cli.status;

import org.jspecify.annotations.NullMarked;
