package io.chagres.archive.find;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Cuts versions into pieces, and lists for each piece the tokens of every line that the piece has a part of. So every
 * piece of a line that is looked for may match, from the line's begin to its end. It lists no tokens for pieces with
 * zero bytes, for lines without an end and for very long ones. Confined to one thread.
 */
final class LinePieces {
    /** A line over more pieces is left out. */
    private static final int MAX_OPEN = 4;

    /** A piece whose last line has no end yet. */
    private record Open(long start, long end, LineTokens.TokenSet tokens, boolean unknown) {}

    private final FilterWriter out;
    private final LineTokens tokens = new LineTokens(this::token);
    private final Deque<Open> open = new ArrayDeque<>();
    private LineTokens.TokenSet ofLine = new LineTokens.TokenSet();
    private LineTokens.TokenSet ofPiece = new LineTokens.TokenSet();
    private byte[] bytes = new byte[0];
    private long versionId;
    private long start;
    private long lineStart;
    /** Whether the line began where nobody looked. */
    private boolean lost;

    LinePieces(FilterWriter out) {
        this.out = out;
    }

    /** Begins a version, or what is new of it. */
    void begin(long id, long position, boolean isLineStart) {
        versionId = id;
        lineStart = position;
        lost = !isLineStart;
        tokens.end();
        ofLine.clear();
        ofPiece.clear();
    }

    private void token(long hash) {
        if (!lost) {
            ofLine.add(hash);
        }
    }

    /** Takes the next piece of the version. */
    void piece(long position, MemorySegment content) throws IOException {
        int length = (int) content.byteSize();
        if (bytes.length < length) {
            bytes = new byte[length];
        }
        MemorySegment.copy(content, ValueLayout.JAVA_BYTE, 0, bytes, 0, length);
        start = position;
        boolean zero = false;
        for (int i = 0; i < length; i++) {
            byte each = bytes[i];
            tokens.next(each);
            zero |= each == 0;
            if (each == '\n') {
                line(position + i + 1);
            }
        }
        long end = position + length;
        if (lineStart == end) {
            write(new Open(start, end, ofPiece, zero));
            ofPiece.clear();
        } else {
            open.add(new Open(start, end, ofPiece, zero || lost));
            ofPiece = new LineTokens.TokenSet();
            if (lost || open.size() > MAX_OPEN) {
                lose();
            }
        }
    }

    /** Ends a line. */
    private void line(long end) throws IOException {
        if (lost) {
            lost = false;
            out.unknown(versionId, start, end);
            start = end;
        } else {
            for (long token : ofLine.toArray()) {
                open.forEach(each -> each.tokens.add(token));
                ofPiece.add(token);
            }
            while (!open.isEmpty()) {
                write(open.remove());
            }
        }
        ofLine.clear();
        lineStart = end;
    }

    /** Tells nothing of the line that is open. */
    private void lose() throws IOException {
        while (!open.isEmpty()) {
            Open each = open.remove();
            long known = Math.clamp(lineStart, each.start, each.end);
            if (known > each.start) {
                write(new Open(each.start, known, each.tokens, each.unknown));
            }
            out.unknown(versionId, known, each.end);
        }
        ofLine.clear();
        lost = true;
    }

    private void write(Open piece) throws IOException {
        if (piece.unknown) {
            out.unknown(versionId, piece.start, piece.end);
        } else if (piece.end > piece.start) {
            out.piece(versionId, piece.start, piece.end, piece.tokens.toArray());
        }
    }

    /** Passes over bytes that nobody looks at. */
    void unknown(long from, long to) throws IOException {
        tokens.end();
        lose();
        out.unknown(versionId, from, to);
    }

    /** Ends the version. */
    void end() throws IOException {
        lose();
    }
}
