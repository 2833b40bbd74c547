/** Checks the house rules that a machine can check, on the sources, with the parser of the JDK's compiler. */
@NullMarked
package io.chagres.tests.tidy;

import org.jspecify.annotations.NullMarked;
