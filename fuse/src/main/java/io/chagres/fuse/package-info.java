/**
 * File systems written in Java. Implement {@link io.chagres.fuse.FuseFileSystem}, which works on numbered nodes, or the
 * simpler {@link io.chagres.fuse.PathFileSystem}, and give it to {@link io.chagres.fuse.FuseServer}.
 */
@NullMarked
package io.chagres.fuse;

import org.jspecify.annotations.NullMarked;
