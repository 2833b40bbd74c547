package io.chagres.watch;

import io.chagres.foreign.Errno;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A name in a watched directory. Stays the same object while the name is renamed within the watched tree. Confined to
 * the watcher's thread.
 */
public sealed class Dentry permits WatchedDirectory {
    private static final int TYPE_SHIFT = 12;
    /** A path is put together on the heap and copied at once: each copy to other memory costs more than its bytes. */
    private static final ThreadLocal<byte[]> PATH = ThreadLocal.withInitial(() -> new byte[256]);

    private static final int EXISTS = 1;
    /** The listener knows it; not so the directories on the way to a root. */
    private static final int REPORTED = 2;
    /** Between the two halves of a rename: its directory does not hold it. */
    private static final int DETACHED = 4;
    /** The name has an array of its own. */
    private static final int ALONE = 8;
    /** The upper half of the flags is the type. */
    private static final int FLAG_BITS = 4;

    private @Nullable WatchedDirectory parent;
    /** The name, or a block of its directory that has it. */
    private byte[] names;

    private long ino;
    private @Nullable Object attachment;
    /** The last 16 bits of it: each scan looks after the names that it has not seen. */
    private short scanNumber;

    /** Where in the block its length is, and behind that the name; unsigned. */
    private byte nameStart;

    private byte flags;

    Dentry(@Nullable WatchedDirectory parent, byte[] name, long ino, int type, boolean reported) {
        this.parent = parent;
        this.ino = ino;
        flags = (byte) (type << FLAG_BITS | EXISTS);
        set(REPORTED, reported);
        names = place(name);
    }

    private byte[] place(byte[] name) {
        WatchedDirectory in = parent;
        int start = in == null ? WatchedDirectory.ALONE : in.place(name);
        set(ALONE, start == WatchedDirectory.ALONE);
        nameStart = (byte) start;
        return in == null || start == WatchedDirectory.ALONE ? name : in.block();
    }

    final int nameLength() {
        return (flags & ALONE) == 0 ? names[Byte.toUnsignedInt(nameStart)] : names.length;
    }

    private int nameFrom() {
        return (flags & ALONE) == 0 ? Byte.toUnsignedInt(nameStart) + 1 : 0;
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
        return Pathname.ofBytes(names, nameFrom(), nameLength());
    }

    /** Returns the absolute path. Allocates. */
    public final Pathname path() {
        byte[] path = new byte[pathLength()];
        writePath(path, path.length);
        return Pathname.ofBytes(path);
    }

    /** Returns the length of {@link #path} in bytes. */
    public final int pathLength() {
        int length = nameLength();
        for (WatchedDirectory up = parent; up != null; up = up.parent()) {
            length += up.nameLength() + (up.endsWithSlash() ? 0 : 1);
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
        byte[] path = PATH.get();
        if (length >= path.length) {
            path = new byte[length + 1];
            PATH.set(path);
        }
        writePath(path, length);
        path[length] = 0;
        MemorySegment.copy(path, 0, scratch, ValueLayout.JAVA_BYTE, 0, length + 1);
        return scratch;
    }

    /** Writes the absolute path so that it ends at an index. */
    final void writePath(byte[] target, int end) {
        int at = end;
        for (Dentry each = this; ; each = each.directory()) {
            int length = each.nameLength();
            at -= length;
            System.arraycopy(each.names, each.nameFrom(), target, at, length);
            WatchedDirectory up = each.parent;
            if (up == null) {
                return;
            }
            if (!up.endsWithSlash()) {
                target[--at] = '/';
            }
        }
    }

    /**
     * Opens the file of this name, if it still is the one known here. A path is stale as soon as one acts on it:
     * somebody may have renamed a directory on the way, or the name, and the event is still to come. No link is
     * followed in the name itself. Allocates.
     *
     * @param flags of open(2), such as {@link Fd#O_RDONLY} and {@link Fd#O_PATH}; O_NOFOLLOW and, without
     *     O_PATH, O_NONBLOCK are added
     * @return a descriptor, which the caller owns and may give to {@link Fd#ofValue}; or {@code -errno}: -ESTALE if the
     *     path leads to nothing, or to something else, by now, and then an event that is still to come says why
     */
    public final int tryOpen(int flags) {
        int all = flags | Fd.O_NOFOLLOW | ((flags & Fd.O_PATH) == 0 ? Fd.O_NONBLOCK : 0);
        WatchedDirectory in = parent;
        if (in == null) {
            return Fd.tryOpen(path(), all, 0);
        }
        if (!exists() || !isAttached()) {
            return -Errno.ESTALE;
        }
        int above = Fd.tryOpen(in.path(), Fd.O_PATH | Fd.O_DIRECTORY | Fd.O_NOFOLLOW, 0);
        if (above < 0) {
            return orStale(above);
        }
        try (Fd directory = Fd.ofValue(above);
                Frame frame = MemoryStack.ofThread().push()) {
            Statx stat = new Statx(frame.allocate(Statx.BYTES, Long.BYTES));
            if (stat.of(above) != 0 || stat.ino() != in.ino()) {
                return -Errno.ESTALE;
            }
            int opened = stat.of(above, name().toCString(frame), 0);
            if (opened == 0 && isThis(stat)) {
                opened = Fd.tryOpenBeneath(directory, name(), all, 0);
            } else if (opened == 0) {
                return -Errno.ESTALE;
            }
            if (opened >= 0 && !(stat.of(opened) == 0 && isThis(stat))) {
                Fd.ofValue(opened).close();
                return -Errno.ESTALE;
            }
            return orStale(opened);
        }
    }

    private boolean isThis(Statx stat) {
        return stat.ino() == ino && stat.mode() >> TYPE_SHIFT == type();
    }

    private static int orStale(int opened) {
        return Directory.isAbsent(opened) || opened == -Errno.ELOOP ? -Errno.ESTALE : opened;
    }

    /** Says whether it is the root directory, after which a path needs no separator. */
    final boolean endsWithSlash() {
        return names[nameFrom() + nameLength() - 1] == '/';
    }

    /** Returns the inode number that the directory gave; only a hint, {@link FileId} knows for sure. */
    public final long ino() {
        return ino;
    }

    /** Returns the type: a DT_ constant of {@link Directory}. */
    public final int type() {
        return Byte.toUnsignedInt(flags) >> FLAG_BITS;
    }

    /** Returns what the listener attached. */
    public final @Nullable Object attachment() {
        return attachment;
    }

    /** Attaches an object of the listener, which an event then finds without a look-up. */
    public final void attach(@Nullable Object attachment) {
        this.attachment = attachment;
    }

    /** Says whether the name is still there, as far as events show. */
    public final boolean exists() {
        return (flags & EXISTS) != 0;
    }

    private void set(int flag, boolean on) {
        flags = (byte) (on ? flags | flag : flags & ~flag);
    }

    /** Returns the parent of a name that is not {@code /}. */
    final WatchedDirectory directory() {
        return Objects.requireNonNull(parent);
    }

    /** Returns a copy of the name. */
    final byte[] nameBytes() {
        return Arrays.copyOfRange(names, nameFrom(), nameFrom() + nameLength());
    }

    /** Hashes the name like {@link Arrays#hashCode(byte[])}. */
    final int nameHash() {
        int hash = 1;
        int end = nameFrom() + nameLength();
        for (int i = nameFrom(); i < end; i++) {
            hash = 31 * hash + names[i];
        }
        return hash;
    }

    /** Says whether bytes of a segment are its name. */
    final boolean isNamed(MemorySegment segment, long offset, int length) {
        if (nameLength() != length) {
            return false;
        }
        int from = nameFrom();
        for (int i = 0; i < length; i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, offset + i) != names[from + i]) {
                return false;
            }
        }
        return true;
    }

    final boolean isReported() {
        return (flags & REPORTED) != 0;
    }

    final void setReported() {
        set(REPORTED, true);
    }

    final void setIno(long ino) {
        this.ino = ino;
    }

    final void setGone() {
        set(EXISTS, false);
    }

    final void setDetached(boolean detached) {
        set(DETACHED, detached);
    }

    /** Says whether the path leads to it: neither it nor a directory above is between the halves of a rename. */
    final boolean isAttached() {
        for (Dentry each = this; each != null; each = each.parent) {
            if ((each.flags & DETACHED) != 0) {
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
        this.scanNumber = (short) scanNumber;
    }

    final boolean isSeen(int scanNumber) {
        return this.scanNumber == (short) scanNumber;
    }

    final void moveTo(WatchedDirectory newParent, byte[] newName) {
        parent = newParent;
        names = place(newName);
    }

    /** Returns the path, for people. */
    @Override
    public final String toString() {
        return path().toString();
    }
}
