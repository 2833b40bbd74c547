/** Links C functions and system calls. Not for general use: only the kernel objects of Chagres stand on it. */
@NullMarked
package io.chagres.foreign.call;

import org.jspecify.annotations.NullMarked;
