package io.chagres.ship.file;

import io.chagres.archive.Codec;

/**
 * How the bytes of some files are shipped. Immutable.
 *
 * @param maxLagMs how old an uncommitted byte of them gets, in milliseconds
 * @param codec how data objects of them are stored
 */
public record Rules(long maxLagMs, Codec codec) {}
