package io.chagres.ship.bytes;

import java.util.Arrays;

/**
 * Holds the CRC32C of everything that was shipped of one version, in pieces of about 256 KiB: what lets the shipper
 * compare a file with its archive without reading the archive. Runs are joined as they are appended, so a file that
 * grows by a line at a time costs no more memory than one that was shipped at once. Confined to one thread; allocates
 * when a piece is closed (once per 256 KiB).
 */
public final class PrefixChecksums {
    public static final int PIECE_BYTES = 256 * 1024;

    private static final long[] NO_ENDS = {};
    private static final int[] NO_CRCS = {};

    private long[] closedEnds = NO_ENDS;
    private int[] closedCrcs = NO_CRCS;
    private int closed;
    private final long startPosition;
    private long openStart;
    private long end;
    private int openCrc;

    /** Starts at a position; bytes before it are not covered. */
    public PrefixChecksums(long startPosition) {
        this.startPosition = startPosition;
        openStart = startPosition;
        end = startPosition;
    }

    /** Makes that of one piece which begins with the file. */
    public static PrefixChecksums ofOnePiece(long end, int crc) {
        PrefixChecksums made = new PrefixChecksums(0);
        made.end = end;
        made.openCrc = crc;
        return made;
    }

    /** Says whether it is one piece, or none, that begins with the file. */
    public boolean isOnePiece() {
        return startPosition == 0 && closed == 0;
    }

    /** Returns the position of the first byte covered. */
    public long startPosition() {
        return startPosition;
    }

    /** A range of pieces as they were at one moment; safe for any thread. */
    public record Pieces(long start, long[] ends, int[] crcs) {}

    /** Copies some pieces out, for a comparison beside the loop. Allocates. */
    public Pieces slice(int from, int to) {
        long[] ends = new long[to - from];
        int[] crcs = new int[to - from];
        for (int i = from; i < to; i++) {
            ends[i - from] = pieceEnd(i);
            crcs[i - from] = pieceCrc(i);
        }
        return new Pieces(from == to ? end : pieceStart(from), ends, crcs);
    }

    /** Returns the position after the last byte covered. */
    public long end() {
        return end;
    }

    /** Returns the number of pieces, the open one included. */
    public int pieces() {
        return closed + (end > openStart ? 1 : 0);
    }

    long pieceStart(int piece) {
        return piece == 0 ? startPosition : closedEnds[piece - 1];
    }

    long pieceEnd(int piece) {
        return piece == closed ? end : closedEnds[piece];
    }

    /** Returns the CRC32C of a piece. */
    public int pieceCrc(int piece) {
        return piece == closed ? openCrc : closedCrcs[piece];
    }

    /** Returns the first piece that holds a byte at or after a position; {@link #pieces()} when there is none. */
    public int pieceAt(long position) {
        int at = Arrays.binarySearch(closedEnds, 0, closed, position + 1);
        return at >= 0 ? at : position >= end ? pieces() : -at - 1;
    }

    /** Appends a run of any length that was checksummed as a whole. */
    public void append(long lengthBytes, int crc) {
        if (lengthBytes == 0) {
            return;
        }
        if (end > openStart && end + lengthBytes - openStart > PIECE_BYTES) {
            close();
        }
        openCrc = end == openStart ? crc : Crc32cMath.combine(openCrc, crc, lengthBytes);
        end += lengthBytes;
    }

    /** Ends the open piece, so that the next one begins at the end. */
    public void split() {
        if (end > openStart) {
            close();
        }
    }

    private void close() {
        if (closed == closedEnds.length) {
            closedEnds = Arrays.copyOf(closedEnds, Math.max(4, closed * 2));
            closedCrcs = Arrays.copyOf(closedCrcs, closedEnds.length);
        }
        closedEnds[closed] = end;
        closedCrcs[closed] = openCrc;
        closed++;
        openStart = end;
    }
}
