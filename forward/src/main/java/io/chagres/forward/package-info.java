/** Holds forwarding: lines of an archive into a sink, once each where the sink has transactions. */
@NullMarked
package io.chagres.forward;

import org.jspecify.annotations.NullMarked;
