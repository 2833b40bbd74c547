/** Holds reading: bytes of versions, addresses, restoring, checking, compacting. */
@NullMarked
package io.chagres.archive.read;

import org.jspecify.annotations.NullMarked;
