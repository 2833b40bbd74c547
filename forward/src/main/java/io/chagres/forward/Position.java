package io.chagres.forward;

import io.chagres.archive.state.FileVersion;
import io.chagres.linux.Pathname;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;

/**
 * How far a version was forwarded: what a sink keeps of it. Immutable.
 *
 * @param offset the first byte that was not forwarded
 * @param line where the line begins that the offset lies in; the offset itself between lines
 * @param openedMs when the version began, which tells versions of different archives apart
 * @param state what was known to have become of the version
 * @param path the name in the key of its records
 * @param name the name it was known by last
 */
public record Position(long offset, long line, long openedMs, FileVersion.State state, Pathname path, Pathname name) {
    private static final int FORMAT = 1;

    /** The code of a state is its place here; none is ever moved. */
    private static final List<FileVersion.State> STATES = List.of(
            FileVersion.State.GROWING,
            FileVersion.State.SEALED,
            FileVersion.State.TRUNCATED,
            FileVersion.State.REWRITTEN,
            FileVersion.State.GONE);

    /** Returns the position at another place of the same version. */
    Position moved(long toOffset, long toLine) {
        return new Position(toOffset, toLine, openedMs, state, path, name);
    }

    /** Says whether a version that stands here stood, or stands, at another position as well. */
    boolean reaches(Position other) {
        return offset > other.offset
                || (offset == other.offset && name.equals(other.name) && (isOver(state) || !isOver(other.state)));
    }

    /** Says whether nothing is added to versions in a state. */
    static boolean isOver(FileVersion.State state) {
        return state != FileVersion.State.GROWING && state != FileVersion.State.SEALED;
    }

    /** Returns the bytes that {@link #decode} takes; they are described in docs/FORWARD.md. */
    public byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeLong(offset);
            out.writeLong(line);
            out.writeLong(openedMs);
            out.writeByte(STATES.indexOf(state));
            write(out, path);
            write(out, name);
        } catch (IOException e) {
            throw new AssertionError("memory refuses bytes", e);
        }
        return bytes.toByteArray();
    }

    /** Reads a position. */
    public static Position decode(byte[] bytes) throws SinkException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readByte() != FORMAT) {
                throw new IOException("it has a format of a newer program");
            }
            return new Position(in.readLong(), in.readLong(), in.readLong(), state(in.readByte()), path(in), path(in));
        } catch (IOException e) {
            throw new SinkException("a position cannot be read: " + e.getMessage(), e);
        }
    }

    private static FileVersion.State state(int code) throws IOException {
        if (code < 0 || code >= STATES.size()) {
            throw new IOException("it has a state of a newer program");
        }
        return STATES.get(code);
    }

    private static void write(DataOutputStream out, Pathname path) throws IOException {
        out.writeShort(path.length());
        out.write(path.bytes());
    }

    private static Pathname path(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readUnsignedShort()];
        in.readFully(bytes);
        return Pathname.ofBytes(bytes);
    }
}
