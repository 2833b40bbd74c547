/** What a recording of the JDK's Flight Recorder shows of a shipper. */
@NullMarked
package io.chagres.ship.events;

import org.jspecify.annotations.NullMarked;
