/** Holds the values of an archive: records, attributes, keys of objects, and which hosts it has. */
@NullMarked
package io.chagres.archive;

import org.jspecify.annotations.NullMarked;
