package io.chagres.watch;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A name in a watched directory. Stays the same object while the name is renamed within what is watched. Confined to
 * the watcher's thread.
 */
public sealed class Dentry permits WatchedDirectory {
    private @Nullable WatchedDirectory parent;
    private byte[] name;
    private long ino;
    private @Nullable Object attachment;
    private int scanNumber;
    private final byte type;
    /** The listener knows it; false for the directories on the way to a root. */
    private boolean reported;

    private boolean exists = true;
    /** Between the two halves of a rename: its directory does not hold it. */
    private boolean detached;

    Dentry(@Nullable WatchedDirectory parent, byte[] name, long ino, int type, boolean reported) {
        this.parent = parent;
        this.name = name;
        this.ino = ino;
        this.type = (byte) type;
        this.reported = reported;
    }

    /**
     * Returns the directory that holds the name; null for {@code /} only: the directories on the way to a root are
     * known too, though never reported.
     */
    public final @Nullable WatchedDirectory parent() {
        return parent;
    }

    /** Returns the name. Allocates. */
    public final Pathname name() {
        return Pathname.ofBytes(name);
    }

    /** Returns the absolute path. Allocates. */
    public final Pathname path() {
        byte[] path = new byte[pathLength()];
        writePath(MemorySegment.ofArray(path), path.length);
        return Pathname.ofBytes(path);
    }

    /** Returns the length of {@link #path} in bytes. */
    public final int pathLength() {
        int length = name.length;
        for (WatchedDirectory up = parent; up != null; up = up.parent()) {
            length += up.nameBytes().length + (up.endsWithSlash() ? 0 : 1);
        }
        return length;
    }

    /**
     * Writes the absolute path as a C string, for system calls. Allocates nothing.
     *
     * @param scratch memory of the caller, at least {@link #pathLength} + 1 bytes (4096 are enough for the kernel)
     * @return the same segment, which now begins with the path and a NUL
     * @throws IndexOutOfBoundsException when the path does not fit
     */
    public final MemorySegment writePath(MemorySegment scratch) {
        int length = pathLength();
        scratch.set(ValueLayout.JAVA_BYTE, length, (byte) 0);
        writePath(scratch, length);
        return scratch;
    }

    private void writePath(MemorySegment target, int end) {
        Dentry each = this;
        while (true) {
            int start = end - each.name.length;
            MemorySegment.copy(each.name, 0, target, ValueLayout.JAVA_BYTE, start, each.name.length);
            WatchedDirectory up = each.parent;
            if (up == null) {
                return;
            }
            if (!up.endsWithSlash()) {
                start--;
                target.set(ValueLayout.JAVA_BYTE, start, (byte) '/');
            }
            end = start;
            each = up;
        }
    }

    /** Says whether it is the root directory, after which a path needs no separator. */
    final boolean endsWithSlash() {
        return name[name.length - 1] == '/';
    }

    /** Returns the inode number as the directory told it; only a hint, {@link FileId} tells for sure. */
    public final long ino() {
        return ino;
    }

    /** Returns the type: a DT_ constant of {@link Directory}. */
    public final int type() {
        return type;
    }

    /** Returns what the listener attached. */
    public final @Nullable Object attachment() {
        return attachment;
    }

    /** Attaches an object of the listener, which an event then finds without a look-up. */
    public final void attach(@Nullable Object attachment) {
        this.attachment = attachment;
    }

    /** Says whether the name is still there, as far as events have told. */
    public final boolean exists() {
        return exists;
    }

    /** Returns the parent of a name that is not {@code /}. */
    final WatchedDirectory directory() {
        return Objects.requireNonNull(parent);
    }

    final byte[] nameBytes() {
        return name;
    }

    final boolean isReported() {
        return reported;
    }

    final void setReported() {
        reported = true;
    }

    final void setIno(long ino) {
        this.ino = ino;
    }

    final void setGone() {
        exists = false;
    }

    final void setDetached(boolean detached) {
        this.detached = detached;
    }

    /** Says whether the path leads to it: neither it nor a directory above is between the halves of a rename. */
    final boolean isAttached() {
        for (Dentry each = this; each != null; each = each.parent) {
            if (each.detached) {
                return false;
            }
        }
        return true;
    }

    /** Says whether it is another, or lies below it. */
    public final boolean isWithin(Dentry other) {
        for (Dentry each = this; each != null; each = each.parent) {
            if (each == other) {
                return true;
            }
        }
        return false;
    }

    /** Remembers that a scan of its directory, or a younger event, saw the name. */
    final void setSeen(int scanNumber) {
        this.scanNumber = scanNumber;
    }

    final boolean isSeen(int scanNumber) {
        return this.scanNumber == scanNumber;
    }

    final void moveTo(WatchedDirectory newParent, byte[] newName) {
        parent = newParent;
        name = newName;
    }

    /** Returns the path, for people. */
    @Override
    public final String toString() {
        return path().toString();
    }
}
