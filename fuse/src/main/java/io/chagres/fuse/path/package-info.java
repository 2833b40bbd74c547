/**
 * File systems by paths: {@link io.chagres.fuse.path.PathFileSystem} for those written in a few lines, and {@link
 * io.chagres.fuse.path.NioFileSystem}, which mounts what {@code java.nio.file} has already. Both are served as a {@link
 * io.chagres.fuse.FuseFileSystem} like any other.
 */
@NullMarked
package io.chagres.fuse.path;

import org.jspecify.annotations.NullMarked;
