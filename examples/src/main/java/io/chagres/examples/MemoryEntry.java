package io.chagres.examples;

import io.chagres.linux.Pathname;

/**
 * A name in a directory.
 *
 * @param bytes of the name, so that a listing copies nothing
 * @param position rises with every name that is made
 */
record MemoryEntry(Pathname name, byte[] bytes, MemoryNode node, long position) {}
