package io.chagres.fuse.path;

import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.DirectoryPlusReply;
import io.chagres.fuse.DirectoryReply;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names of open directories, as they were when the kernel last began at their start: positions in them stay right, and
 * a reader that goes back to the start sees what is there by then. Safe for any thread.
 */
final class Listings {
    private final Map<Long, DirectoryListing> listings = new ConcurrentHashMap<>();
    private final AtomicLong lastHandle = new AtomicLong();

    /** How a directory is listed. */
    @FunctionalInterface
    interface Lister {
        DirectoryListing list() throws IOException;
    }

    /** Returns a handle for what is listed until {@link #close}; nothing is yet. */
    long open() {
        return lastHandle.incrementAndGet();
    }

    /** Returns what a position is in, listed now if that is the start. Nothing is kept of directories never opened. */
    DirectoryListing of(long handle, long position, Lister lister) throws IOException {
        DirectoryListing known = position == 0 ? null : listings.get(handle);
        if (known != null) {
            return known;
        }
        DirectoryListing listed = lister.list();
        if (handle > 0) {
            listings.put(handle, listed);
        }
        return listed;
    }

    /** Answers with the names that follow a position. */
    static void read(DirectoryListing listed, long position, DirectoryReply reply) {
        if (position >= listed.size() && listed.failure() != 0) {
            reply.error(listed.failure());
            return;
        }
        for (int at = (int) position; at < listed.size(); at++) {
            DirectoryListing.Entry entry = listed.get(at);
            Attributes known = entry.attributes();
            long ino = known == null || known.ino() == 0 ? -1 : known.ino();
            int type = known == null ? DirectoryReply.DT_UNKNOWN : known.mode() >>> 12 & 15;
            if (!reply.add(entry.bytes(), ino, type, at + 1L)) {
                break;
            }
        }
        reply.done();
    }

    /** Adds an entry with its attributes, and returns whether it fitted. */
    @FunctionalInterface
    interface Adding {
        boolean add(DirectoryListing.Entry entry, long next) throws IOException;
    }

    /** Answers with the names that follow a position, and the attributes of the files. */
    static void readPlus(DirectoryListing listed, long position, DirectoryPlusReply reply, Adding adding)
            throws IOException {
        if (position >= listed.size() && listed.failure() != 0) {
            reply.error(listed.failure());
            return;
        }
        boolean fits = true;
        for (int at = (int) position; fits && at < listed.size(); at++) {
            DirectoryListing.Entry entry = listed.get(at);
            fits = at < DirectoryListing.DOTS
                    ? reply.add(entry.bytes(), 0, reply.attributes().directory(0755), at + 1L)
                    : adding.add(entry, at + 1L);
        }
        reply.done();
    }

    void close(long handle) {
        listings.remove(handle);
    }

    /** Writes the names of those that are open; the next process asks again what the files are. */
    void write(StateWriter to) throws IOException {
        Map<Long, DirectoryListing> all = Map.copyOf(listings);
        to.number(lastHandle.get());
        to.number(all.size());
        for (Map.Entry<Long, DirectoryListing> open : all.entrySet()) {
            DirectoryListing listed = open.getValue();
            to.number(open.getKey());
            to.number(listed.size() - DirectoryListing.DOTS);
            for (int at = DirectoryListing.DOTS; at < listed.size(); at++) {
                to.text(listed.get(at).name());
            }
        }
    }

    /** Continues with the written state, if nothing is open here yet. */
    void read(StateReader from) throws ErrnoException {
        lastHandle.set(from.number());
        for (int count = from.count(); count > 0; count--) {
            long handle = from.number();
            DirectoryListing listed = new DirectoryListing(0);
            for (int names = from.count(); names > 0; names--) {
                listed.add(from.text());
            }
            listings.put(handle, listed);
        }
    }
}
