/** Holds {@code doctor}. */
@NullMarked
package io.chagres.cli.doctor;

import org.jspecify.annotations.NullMarked;
