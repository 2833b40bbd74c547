@NullMarked
package io.chagres.forward;

import org.jspecify.annotations.NullMarked;
