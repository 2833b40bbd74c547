package io.chagres.archive.prove;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.sign.Sha256;
import io.chagres.archive.store.BlobRange;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;

/**
 * Reads each object to its end before it gives a byte of it, and from then on gives the bytes that it had then, or
 * none: somebody may replace an object between the look at it and its use. Of an object it keeps a digest of each 256
 * KiB, and the last few pieces that were read. Safe for any thread.
 */
final class StableStore extends CachingStore {
    /** The bytes that are asked for at once while an object is read to its end. */
    static final int READ_BYTES = 1 << 20;

    private static final int PIECE_BYTES = 256 << 10;
    private static final int MAX_OBJECTS = 16 * 1024;
    private static final int MAX_PIECES = 32;
    private static final int LOCKS = 64;

    /** An object as it was. */
    private record Seen(long lengthBytes, byte[] sha256, byte[] pieces) {}

    private record Place(String key, long number) {}

    private final Map<String, Seen> seen = recent(MAX_OBJECTS);
    private final Map<Place, byte[]> pieces = recent(MAX_PIECES);
    /** One thread reads an object, and others wait for what it finds. */
    private final Object[] reading = new Object[LOCKS];

    /** Stands before a store, which is closed with this one. */
    StableStore(BlobStore store) {
        super(store);
        Arrays.setAll(reading, each -> new Object());
    }

    /**
     * Returns the SHA-256 of an object from an offset on.
     *
     * @throws NoSuchBlobException when the key does not exist
     */
    byte[] sha256(String key, long from) throws IOException {
        if (from == 0) {
            return seen(key).sha256().clone();
        }
        Sha256 digest = new Sha256();
        byte[] buffer = new byte[PIECE_BYTES];
        MemorySegment target = MemorySegment.ofArray(buffer);
        long at = from;
        for (int got = get(key, at, target); got > 0; got = get(key, at, target)) {
            digest.update(target, 0, got);
            at += got;
        }
        return digest.digest();
    }

    @Override
    public long size(String key) throws IOException {
        try {
            return seen(key).lengthBytes();
        } catch (NoSuchBlobException e) {
            return -1;
        }
    }

    /** All of it is of the object as it was when this began. */
    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        Seen object = seen(key);
        long end = Math.min(object.lengthBytes(), offset + target.byteSize());
        int done = 0;
        for (long at = offset; at < end; ) {
            byte[] piece = piece(key, object, at / PIECE_BYTES, end);
            int within = (int) (at % PIECE_BYTES);
            int part = (int) Math.min(end - at, piece.length - within);
            MemorySegment.copy(piece, within, target, ValueLayout.JAVA_BYTE, done, part);
            at += part;
            done += part;
        }
        return done;
    }

    /** Returns a piece of an object; fetches those behind it up to a position with it. */
    private byte[] piece(String key, Seen object, long number, long end) throws IOException {
        byte[] known = pieces.get(new Place(key, number));
        if (known != null) {
            return known;
        }
        long start = number * PIECE_BYTES;
        long until = Math.min(object.lengthBytes(), (end + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES);
        byte[] bytes = new byte[(int) Math.min(READ_BYTES, until - start)];
        for (int attempt = 0; ; attempt++) {
            int got = store.get(key, start, MemorySegment.ofArray(bytes));
            if (got == bytes.length && keep(key, object, number, bytes)) {
                return Arrays.copyOf(bytes, Math.min(PIECE_BYTES, bytes.length));
            }
            if (attempt > 0) {
                throw new CorruptArchiveException(key, "it was replaced while it was read");
            }
            super.forget(key);
        }
    }

    /** Compares pieces with what they were, and keeps them. */
    private boolean keep(String key, Seen object, long first, byte[] bytes) {
        for (int from = 0; from < bytes.length; from += PIECE_BYTES) {
            byte[] piece = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + PIECE_BYTES));
            long number = first + from / PIECE_BYTES;
            int at = (int) (number * Sha256.BYTES);
            byte[] sha256 = Sha256.of(MemorySegment.ofArray(piece));
            if (!Arrays.equals(sha256, 0, Sha256.BYTES, object.pieces(), at, at + Sha256.BYTES)) {
                return false;
            }
            pieces.put(new Place(key, number), piece);
        }
        return true;
    }

    private Seen seen(String key) throws IOException {
        Seen known = seen.get(key);
        if (known != null) {
            return known;
        }
        synchronized (reading[Math.floorMod(key.hashCode(), LOCKS)]) {
            known = seen.get(key);
            if (known == null) {
                known = look(key);
                seen.put(key, known);
            }
            return known;
        }
    }

    private Seen look(String key) throws IOException {
        Sha256 whole = new Sha256();
        MemorySegment buffer = MemorySegment.ofArray(new byte[READ_BYTES]);
        byte[] digests = new byte[4 * Sha256.BYTES];
        int count = 0;
        long at = 0;
        for (int got = store.get(key, 0, buffer); got > 0; got = store.get(key, at, buffer)) {
            whole.update(buffer, 0, got);
            for (int from = 0; from < got; from += PIECE_BYTES) {
                byte[] piece =
                        buffer.asSlice(from, Math.min(PIECE_BYTES, got - from)).toArray(ValueLayout.JAVA_BYTE);
                if ((count + 1) * Sha256.BYTES > digests.length) {
                    digests = Arrays.copyOf(digests, 2 * digests.length);
                }
                byte[] sha256 = Sha256.of(MemorySegment.ofArray(piece));
                System.arraycopy(sha256, 0, digests, count * Sha256.BYTES, Sha256.BYTES);
                pieces.put(new Place(key, count), piece);
                count++;
            }
            at += got;
            if (got < READ_BYTES) {
                break;
            }
        }
        return new Seen(at, whole.digest(), Arrays.copyOf(digests, count * Sha256.BYTES));
    }

    @Override
    public void forget(String key) {
        seen.remove(key);
        pieces.keySet().removeIf(place -> place.key().equals(key));
        super.forget(key);
    }

    /** Objects are read to their ends, not in the ranges that somebody above needs. */
    @Override
    public void expect(Iterator<BlobRange> ranges) {}

    /** Says which objects will be looked at next. */
    void expectWhole(Iterable<String> keys) {
        Iterator<String> all = keys.iterator();
        super.expect(new Iterator<>() {
            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public BlobRange next() {
                return new BlobRange(all.next(), 0, READ_BYTES);
            }
        });
    }
}
