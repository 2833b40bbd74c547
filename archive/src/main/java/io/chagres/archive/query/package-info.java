/**
 * Reading archives from a program: open one by {@link ArchiveReader}, choose hosts, paths and a time by {@link Query},
 * get lines or bytes. What these two are made of stays as it is between minor versions. {@link FleetSearch} is for a
 * program that prints what it finds on many hosts, as {@code grep} does.
 */
@NullMarked
package io.chagres.archive.query;

import org.jspecify.annotations.NullMarked;
