/** The archive as a read-only file system: {@code /<host>/<absolute path>}. */
@NullMarked
package io.chagres.mount;

import org.jspecify.annotations.NullMarked;
