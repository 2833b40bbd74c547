/**
 * FUSE servers of one and the same tree, ours and those of others, for {@code bench/sections/fuse.sh}, which measures
 * them by a client in C. The servers in C are in {@code bench/peers/libfuse}.
 */
package io.chagres.bench.fuse;
