/** Memory, C strings, comparison and errno for native calls that allocate nothing. */
@NullMarked
package io.chagres.foreign;

import org.jspecify.annotations.NullMarked;
