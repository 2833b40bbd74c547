/** Tests the scripts at the root of the repository. */
@NullMarked
package io.chagres.tests.launcher;

import org.jspecify.annotations.NullMarked;
