package io.chagres.archive.log;

import io.chagres.archive.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * Where a log ends and the next commit is appended. Immutable; arrays are not copied and must not be changed.
 *
 * @param seq the number of the last commit, 0 before the first
 * @param chain what the next commit names as its predecessor: 32 bytes
 * @param timeMs when it was cut, milliseconds since 1970
 * @param row the first of the commits up to it whose times never go back; 0 before the first
 * @param writer the shipper that opened an incarnation last, or null before the first
 */
public record LogEnd(long seq, byte[] chain, long timeMs, long row, LogRecord.@Nullable IncarnationOpened writer) {}
