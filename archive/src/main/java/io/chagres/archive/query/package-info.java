/**
 * Reading archives from a program: open one, choose hosts, paths and a time, get lines or bytes. What is public here
 * stays as it is between minor versions.
 */
@NullMarked
package io.chagres.archive.query;

import org.jspecify.annotations.NullMarked;
