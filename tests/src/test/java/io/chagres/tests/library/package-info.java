/** The libraries as others see them: artifacts of a repository, in projects that know nothing of this build. */
@NullMarked
package io.chagres.tests.library;

import org.jspecify.annotations.NullMarked;
