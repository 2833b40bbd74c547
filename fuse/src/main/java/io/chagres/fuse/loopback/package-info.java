/**
 * A directory of Linux shown once more, with all that FUSE can carry: {@link
 * io.chagres.fuse.loopback.LoopbackFileSystem}, to be mounted as it is or to be put behind a file system that changes
 * some of its answers.
 */
@NullMarked
package io.chagres.fuse.loopback;

import org.jspecify.annotations.NullMarked;
