/** Holds restoring: files of an archive become files of a directory. */
@NullMarked
package io.chagres.archive.restore;

import org.jspecify.annotations.NullMarked;
