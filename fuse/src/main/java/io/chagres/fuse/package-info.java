/**
 * A FUSE server: the kernel's protocol, and {@link io.chagres.fuse.FuseFileSystem}, which works on numbered nodes. Give
 * one to {@link io.chagres.fuse.FuseServer}. Package {@link io.chagres.fuse.path} has file systems by paths.
 */
@NullMarked
package io.chagres.fuse;

import org.jspecify.annotations.NullMarked;
