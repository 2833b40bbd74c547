/** The commits of the host, filled and put one after the other. */
@NullMarked
package io.chagres.ship.commit;

import org.jspecify.annotations.NullMarked;
