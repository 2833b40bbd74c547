/** The bytes of the FUSE protocol. */
@NullMarked
package io.chagres.fuse.wire;

import org.jspecify.annotations.NullMarked;
