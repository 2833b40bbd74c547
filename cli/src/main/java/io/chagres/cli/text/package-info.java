/** Holds values and words: durations, sizes, times and ranges as people write them, tables and JSON. */
@NullMarked
package io.chagres.cli.text;

import org.jspecify.annotations.NullMarked;
