/** What the documents show is compiled and run. */
@NullMarked
package io.chagres.tests.documents;

import org.jspecify.annotations.NullMarked;
