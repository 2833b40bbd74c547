package io.chagres.ship;

/**
 * One file with bytes at risk. Immutable.
 *
 * @param path or, of a file without a name, words that stand for it
 * @param riskBytes its bytes at risk
 * @param riskMs age of the oldest of them, in milliseconds
 * @param bytes its size
 */
public record FileRisk(String path, long riskBytes, long riskMs, long bytes) {}
