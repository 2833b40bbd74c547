/** Holds the bytes of an archive: records, headers and frames, from fields to bytes and back. */
@NullMarked
package io.chagres.archive.format;

import org.jspecify.annotations.NullMarked;
