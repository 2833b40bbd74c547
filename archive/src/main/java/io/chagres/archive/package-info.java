/** Holds the values of an archive: records, attributes, keys of objects. */
@NullMarked
package io.chagres.archive;

import org.jspecify.annotations.NullMarked;
