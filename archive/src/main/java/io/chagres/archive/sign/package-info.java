/** Signatures by Ed25519: keys, what is signed, and whose keys somebody trusts. */
@NullMarked
package io.chagres.archive.sign;

import org.jspecify.annotations.NullMarked;
