package io.chagres.fuse.path;

import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.DirectoryPlusReply;
import io.chagres.fuse.DirectoryReply;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Names of open directories, as they were at opening, so that positions in them stay right. Safe for any thread. */
final class Listings {
    private static final DirectoryListing NONE = new DirectoryListing(0);

    private final Map<Long, DirectoryListing> listings = new ConcurrentHashMap<>();
    private final AtomicLong lastHandle = new AtomicLong();

    /** Keeps a listing, which nobody changes any more, until {@link #close} and returns a handle. */
    long open(DirectoryListing listed) {
        long handle = lastHandle.incrementAndGet();
        listings.put(handle, listed);
        return handle;
    }

    /** Keeps names alone. */
    long open(Iterable<String> names) {
        DirectoryListing listed = new DirectoryListing(0);
        names.forEach(listed::add);
        return open(listed);
    }

    private DirectoryListing of(long handle) {
        return listings.getOrDefault(handle, NONE);
    }

    /** Answers with what follows a position. */
    void read(long handle, long position, DirectoryReply reply) {
        DirectoryListing listed = of(handle);
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

    /** How an entry with its attributes is added: tells whether it fitted. */
    @FunctionalInterface
    interface Adding {
        boolean add(DirectoryListing listed, DirectoryListing.Entry entry, long next) throws IOException;
    }

    /** Answers with what follows a position, and what the files are. */
    void readPlus(long handle, long position, DirectoryPlusReply reply, Adding adding) throws IOException {
        DirectoryListing listed = of(handle);
        boolean fits = true;
        for (int at = (int) position; fits && at < listed.size(); at++) {
            DirectoryListing.Entry entry = listed.get(at);
            fits = at < DirectoryListing.DOTS
                    ? reply.add(entry.bytes(), 0, reply.attributes().directory(0755), at + 1L)
                    : adding.add(listed, entry, at + 1L);
        }
        reply.done();
    }

    void close(long handle) {
        listings.remove(handle);
    }

    /** Writes the names of those that are open; what the files are is asked for again. */
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

    /** Goes on with what was written, if nothing is open here yet. */
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
