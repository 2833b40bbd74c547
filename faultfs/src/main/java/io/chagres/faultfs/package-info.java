/** A directory in which requests fail, come short or wait, and which forgets what was not synced: for tests. */
@NullMarked
package io.chagres.faultfs;

import org.jspecify.annotations.NullMarked;
