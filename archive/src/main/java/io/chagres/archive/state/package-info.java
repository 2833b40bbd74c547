/**
 * Holds what a log adds up to: names, versions and their extents, as of a point in time; checkpoints and local
 * tables.
 */
@NullMarked
package io.chagres.archive.state;

import org.jspecify.annotations.NullMarked;
