/** File systems to read and to try: each has a {@code main} that mounts it. */
@NullMarked
package io.chagres.examples;

import org.jspecify.annotations.NullMarked;
