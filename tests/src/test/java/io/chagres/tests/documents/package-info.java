/** Compiles and runs the examples of the documents. */
@NullMarked
package io.chagres.tests.documents;

import org.jspecify.annotations.NullMarked;
