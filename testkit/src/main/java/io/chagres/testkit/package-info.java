/** The tools that tests of every module share. */
@NullMarked
package io.chagres.testkit;

import org.jspecify.annotations.NullMarked;
