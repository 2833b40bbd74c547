package io.chagres.forward;

/**
 * How far a host was forwarded. Immutable.
 *
 * @param seq the newest commit that was looked at
 * @param leftBytes bytes of the commits up to it that were not forwarded, half lines among them
 */
public record Progress(long seq, long leftBytes) {}
