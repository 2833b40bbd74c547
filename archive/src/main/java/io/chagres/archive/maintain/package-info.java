/** Holds what removes and rewrites objects: compaction, retention, and the sweep of what nobody refers to. */
@NullMarked
package io.chagres.archive.maintain;

import org.jspecify.annotations.NullMarked;
