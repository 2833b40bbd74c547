/** A data source of Apache Spark: the lines, files, commits and hosts of an archive as tables. */
@NullMarked
package io.chagres.spark;

import org.jspecify.annotations.NullMarked;
