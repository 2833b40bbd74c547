package io.chagres.fuse;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.fuse.wire.Abi;
import io.chagres.linux.IoVector;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells the kernel which names, attributes and pages to forget or to keep, see {@code enum fuse_notify_code} in
 * linux/fuse.h. Without this, caches are right only as long as the timeouts say.
 *
 * <p>Safe for any thread, but not within a handler of a request on the same node or directory: the kernel may wait for
 * that request. Every method returns 0 or {@code -errno}: -ENOENT, harmless, if the kernel does not know the node or
 * name, -ENODEV once unmounted.
 */
public final class Notifier {
    private final Device device;
    /** Apart from the kernel's own numbers, and even: an odd one is an interrupt's. */
    private final AtomicLong retrievals = new AtomicLong(1L << 62);

    private final ConcurrentMap<Long, Retrieval> waiting = new ConcurrentHashMap<>();

    /** Takes cached data of a node, see {@link Notifier#retrieve}. */
    @FunctionalInterface
    public interface Retrieval {
        /**
         * Takes what the kernel had.
         *
         * @param position where it starts, bytes from the start of the file
         * @param data the bytes cached from there on without a gap, maybe none; valid until return
         */
        void retrieved(long position, Payload data);
    }

    Notifier(Device device) {
        this.device = device;
    }

    /**
     * Lends a local file to the kernel, to be read and written by it where {@link OpenReply#opened(long, int, int)}
     * says so; with {@link FuseFeature#PASSTHROUGH}. It is used with the permissions that this process has now,
     * whatever mode the descriptor is open in, which may be closed afterwards.
     *
     * @param fd the descriptor of a regular file, maybe one that only refers to its path
     * @return its number for the kernel, 1 or more, to be given to {@link #closeBackingFile}; or {@code -errno}: -EPERM
     *     without the superuser or the feature, -ELOOP on a stacked file system, -EISDIR or -EINVAL for other files,
     *     -EBADF
     */
    public int openBackingFile(int fd) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment map = frame.allocate(Abi.BACKING_MAP, 8).fill((byte) 0);
            Abi.putInt(map, Abi.BACKING_MAP_FD, fd);
            return device.ioctl(Abi.IOC_BACKING_OPEN, map);
        }
    }

    /**
     * Takes a local file back that was lent. Files that are open keep using it.
     *
     * @param backing what {@link #openBackingFile} returned
     * @return 0, or {@code -errno}: -ENOENT if it is none
     */
    public int closeBackingFile(int backing) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment id = frame.allocate(Integer.BYTES, 4);
            Abi.putInt(id, 0, backing);
            return device.ioctl(Abi.IOC_BACKING_CLOSE, id);
        }
    }

    /**
     * Makes the kernel forget attributes, and cached pages of a range.
     *
     * @param node which
     * @param position where the range starts, bytes; negative for the attributes only
     * @param length its length in bytes; 0 or less is up to the end
     * @return 0, or {@code -errno}
     */
    public int invalidateNode(long node, long position, long length) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment message = message(frame, Abi.NOTIFY_INVAL_INODE, Abi.NOTIFY_INVAL_INODE_OUT, 0);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_INVAL_INODE_OUT_INO, node);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_INVAL_INODE_OUT_OFF, position);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_INVAL_INODE_OUT_LEN, length);
            return send(message);
        }
    }

    /**
     * Makes the kernel forget a name.
     *
     * @param parent the directory
     * @param name its bytes
     * @return 0, or {@code -errno}
     */
    public int invalidateEntry(long parent, byte[] name) {
        return entry(parent, name, 0);
    }

    /**
     * Makes the kernel ask again for a name when it is used next, and keep it meanwhile for those who have it. Since
     * protocol 7.38.
     *
     * @param parent the directory
     * @param name its bytes
     * @return 0, or {@code -errno}
     */
    public int expireEntry(long parent, byte[] name) {
        return entry(parent, name, Abi.EXPIRE_ONLY);
    }

    /**
     * Says that a name was removed: for those who have its file open it is a removed one. Watches of inotify(7) do not
     * see it, as they see nothing that happens elsewhere.
     *
     * @param parent the directory
     * @param child the node it named; if the name is another node's by now, the kernel asks for it again
     * @param name its bytes
     * @return 0, or {@code -errno}; -ENOENT if the kernel does not know this name of this node, -ENOTEMPTY for a
     *     directory that it knows names in
     */
    public int delete(long parent, long child, byte[] name) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment message = message(frame, Abi.NOTIFY_DELETE, Abi.NOTIFY_DELETE_OUT, name.length + 1);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_DELETE_OUT_PARENT, parent);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_DELETE_OUT_CHILD, child);
            Abi.putInt(message, Abi.OUT_HEADER + Abi.NOTIFY_DELETE_OUT_NAMELEN, name.length);
            putName(message, Abi.OUT_HEADER + Abi.NOTIFY_DELETE_OUT, name);
            return send(message);
        }
    }

    /**
     * Puts data into the page cache, as if it had been read. Extends the size the kernel knows.
     *
     * @param node which
     * @param position where it starts, bytes from the start of the file
     * @param memory native memory, borrowed
     * @param offset where the data starts in it, bytes
     * @param length its length in bytes
     * @return 0, or {@code -errno}
     */
    public int store(long node, long position, MemorySegment memory, long offset, int length) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment message = message(frame, Abi.NOTIFY_STORE, Abi.NOTIFY_STORE_OUT, 0);
            Abi.putInt(message, Abi.OUT_HEADER_LEN, (int) message.byteSize() + length);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_STORE_OUT_NODEID, node);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_STORE_OUT_OFFSET, position);
            Abi.putInt(message, Abi.OUT_HEADER + Abi.NOTIFY_STORE_OUT_SIZE, length);
            return (int) Math.min(0, device.write(new IoVector(frame, 2), message, 0, memory, offset, length));
        }
    }

    /**
     * Asks for cached data of a node, dirty or not.
     *
     * @param node which
     * @param position where it starts, bytes from the start of the file
     * @param length how much at most, bytes
     * @param retrieval is called once, by a thread that serves requests, if this returns 0
     * @return 0, or {@code -errno}
     */
    public int retrieve(long node, long position, int length, Retrieval retrieval) {
        long unique = retrievals.addAndGet(2);
        waiting.put(unique, retrieval);
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment message = message(frame, Abi.NOTIFY_RETRIEVE, Abi.NOTIFY_RETRIEVE_OUT, 0);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_RETRIEVE_OUT_NOTIFY_UNIQUE, unique);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_RETRIEVE_OUT_NODEID, node);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_RETRIEVE_OUT_OFFSET, position);
            Abi.putInt(message, Abi.OUT_HEADER + Abi.NOTIFY_RETRIEVE_OUT_SIZE, length);
            int result = send(message);
            if (result < 0) {
                waiting.remove(unique);
            }
            return result;
        }
    }

    /**
     * Wakes those who wait in poll(2).
     *
     * @param wakeUp what {@link FuseFileSystem#poll} was given
     * @return 0, or {@code -errno}
     */
    public int pollWakeUp(long wakeUp) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment message = message(frame, Abi.NOTIFY_POLL, Abi.NOTIFY_POLL_WAKEUP_OUT, 0);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_POLL_WAKEUP_OUT_KH, wakeUp);
            return send(message);
        }
    }

    /** Has all requests sent again that were read and not answered: nobody else handles them now. */
    int resend() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return send(message(frame, Abi.NOTIFY_RESEND, 0, 0));
        }
    }

    void retrieved(long unique, long position, Payload data) {
        Retrieval retrieval = waiting.remove(unique);
        if (retrieval != null) {
            retrieval.retrieved(position, data);
        }
    }

    private int entry(long parent, byte[] name, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment message = message(frame, Abi.NOTIFY_INVAL_ENTRY, Abi.NOTIFY_INVAL_ENTRY_OUT, name.length + 1);
            Abi.putLong(message, Abi.OUT_HEADER + Abi.NOTIFY_INVAL_ENTRY_OUT_PARENT, parent);
            Abi.putInt(message, Abi.OUT_HEADER + Abi.NOTIFY_INVAL_ENTRY_OUT_NAMELEN, name.length);
            Abi.putInt(message, Abi.OUT_HEADER + Abi.NOTIFY_INVAL_ENTRY_OUT_FLAGS, flags);
            putName(message, Abi.OUT_HEADER + Abi.NOTIFY_INVAL_ENTRY_OUT, name);
            return send(message);
        }
    }

    /** A notification is an answer to request 0, with the code where answers have their error. */
    private static MemorySegment message(Frame frame, int code, int structBytes, int nameBytes) {
        int length = Abi.OUT_HEADER + structBytes + nameBytes;
        MemorySegment message = frame.allocate(length, Long.BYTES).fill((byte) 0);
        Abi.putInt(message, Abi.OUT_HEADER_LEN, length);
        Abi.putInt(message, Abi.OUT_HEADER_ERROR, code);
        return message;
    }

    private static void putName(MemorySegment message, long at, byte[] name) {
        MemorySegment.copy(name, 0, message, ValueLayout.JAVA_BYTE, at, name.length);
    }

    private int send(MemorySegment message) {
        return (int) Math.min(0, device.write(message, 0, message.byteSize()));
    }
}
