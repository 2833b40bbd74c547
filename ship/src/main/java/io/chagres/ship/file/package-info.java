/** Which file: its identity, names, versions and descriptor, where it continues, and the stages of its life. */
@NullMarked
package io.chagres.ship.file;

import org.jspecify.annotations.NullMarked;
