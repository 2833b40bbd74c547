/** Holds the commit log of a host: commits, records, the state they add up to, checkpoints. */
@NullMarked
package io.chagres.archive.log;

import org.jspecify.annotations.NullMarked;
