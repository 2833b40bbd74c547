/**
 * Files in the age format, version 1, encrypted to X25519 recipients: what {@code age} writes and reads. The format is
 * that of <a href="https://c2sp.org/age">c2sp.org/age</a>; the primitives are the JDK's.
 */
@NullMarked
package io.chagres.archive.age;

import org.jspecify.annotations.NullMarked;
