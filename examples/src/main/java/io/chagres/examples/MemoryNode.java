package io.chagres.examples;

import io.chagres.fuse.Attributes;
import io.chagres.fuse.Payload;
import io.chagres.fuse.ReadReply;
import io.chagres.linux.Pathname;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A file, directory, link or device in memory. Guarded by its file system. */
final class MemoryNode {
    static final int CHUNK = 1 << 16;

    final long id;
    final Attributes attributes = new Attributes();
    final Map<Pathname, byte[]> xattrs = new TreeMap<>();

    /** The entries of a directory, by name and in the order of making, which listings follow. */
    final Map<Pathname, MemoryEntry> names = new HashMap<>();

    final TreeMap<Long, MemoryEntry> positions = new TreeMap<>();

    /** The content of a file; chunks that are not there are holes. */
    private final Map<Long, byte[]> chunks = new HashMap<>();

    /** How often the kernel looked it up and did not forget it. */
    long lookups;

    byte[] target = {};
    private long nextPosition = 3;

    MemoryNode(long id) {
        this.id = id;
    }

    /** Returns the node of a name, or null. */
    @Nullable
    MemoryNode child(Pathname name) {
        MemoryEntry entry = names.get(name);
        return entry == null ? null : entry.node();
    }

    void put(Pathname name, MemoryNode node) {
        remove(name);
        MemoryEntry entry = new MemoryEntry(name, name.bytes(), node, nextPosition++);
        names.put(name, entry);
        positions.put(entry.position(), entry);
        if (node.attributes.isDirectory()) {
            attributes.nlink(attributes.nlink() + 1);
        }
    }

    void remove(Pathname name) {
        MemoryEntry entry = names.remove(name);
        if (entry != null) {
            positions.remove(entry.position());
            if (entry.node().attributes.isDirectory()) {
                attributes.nlink(attributes.nlink() - 1);
            }
        }
    }

    void changed(long nowNs) {
        attributes.mtimeNs(nowNs).ctimeNs(nowNs);
    }

    void read(long position, ReadReply reply) {
        reply.filled(read(position, reply.buffer(), reply.offset(), reply.capacity()));
    }

    /** Reads into memory. Returns how much there was. */
    long read(long position, MemorySegment to, long offset, long capacity) {
        long length = Math.clamp(attributes.size() - position, 0, capacity);
        for (long done = 0; done < length; ) {
            long at = position + done;
            int inChunk = (int) (at % CHUNK);
            long n = Math.min(length - done, CHUNK - inChunk);
            byte[] chunk = chunks.get(at / CHUNK);
            if (chunk == null) {
                to.asSlice(offset + done, n).fill((byte) 0);
            } else {
                MemorySegment.copy(chunk, inChunk, to, ValueLayout.JAVA_BYTE, offset + done, (int) n);
            }
            done += n;
        }
        return length;
    }

    void write(long position, Payload data) {
        write(position, data.segment(), data.offset(), data.length());
    }

    /** Writes what is in memory. */
    void write(long position, MemorySegment from, long offset, int length) {
        for (int done = 0; done < length; ) {
            long at = position + done;
            int inChunk = (int) (at % CHUNK);
            int n = Math.min(length - done, CHUNK - inChunk);
            byte[] chunk = chunks.computeIfAbsent(at / CHUNK, number -> new byte[CHUNK]);
            MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset + done, chunk, inChunk, n);
            done += n;
        }
        size(Math.max(attributes.size(), position + length));
    }

    /** Sets the size; bytes behind it are zero when the file grows again. */
    void truncate(long size) {
        if (size < attributes.size()) {
            zero(size, attributes.size());
        }
        size(size);
    }

    /** Makes a range read as zeros and gives whole chunks back. */
    void zero(long from, long to) {
        chunks.entrySet().removeIf(entry -> {
            long start = entry.getKey() * CHUNK;
            long first = Math.max(from, start);
            long last = Math.min(to, start + CHUNK);
            if (first >= last) {
                return false;
            }
            Arrays.fill(entry.getValue(), (int) (first - start), (int) (last - start), (byte) 0);
            return last - first == CHUNK;
        });
        size(attributes.size());
    }

    void allocate(long from, long to) {
        for (long number = from / CHUNK; number * CHUNK < to; number++) {
            chunks.computeIfAbsent(number, missing -> new byte[CHUNK]);
        }
        size(attributes.size());
    }

    int chunks() {
        return chunks.size();
    }

    private void size(long size) {
        attributes.size(size).blocks(chunks.size() * (CHUNK / 512L));
    }
}
