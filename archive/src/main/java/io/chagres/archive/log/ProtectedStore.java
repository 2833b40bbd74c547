package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.ObjectKind;
import io.chagres.archive.age.Age;
import io.chagres.archive.age.AgeException;
import io.chagres.archive.age.AgeFile;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.store.BlobRange;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts what is written to a store and decrypts what is read, so that nobody above it knows the difference. A commit
 * shows its header as it is stored, and its data area decrypted. A list shows the sizes of the objects as they are
 * stored. Safe for any thread as far as the store behind is.
 */
public final class ProtectedStore extends CachingStore {
    private static final int FIRST_BYTES = 4096;
    private static final int MAX_OPENED = 4096;
    private static final int BATCH_CHUNKS = 16;

    /**
     * Where the content of an object lies.
     *
     * @param file null when it is not encrypted
     * @param base offset of the encrypted file
     * @param storedBytes size of the object
     */
    private record Opened(@Nullable AgeFile file, long base, long storedBytes) {}

    /** A chunk that was decrypted. */
    private record Chunk(String key, long number, byte[] content, int length) {}

    private final KeyRing keys;
    private final Map<String, Opened> opened = recent(MAX_OPENED);
    private volatile @Nullable Chunk last;

    /** Stands before a store; see {@link #of}. */
    private ProtectedStore(BlobStore store, KeyRing keys) {
        super(store);
        this.keys = keys;
    }

    /**
     * Returns a store that uses keys; the same one when there are none.
     *
     * @param store is closed with it
     */
    public static BlobStore of(BlobStore store, KeyRing keys) {
        return keys.isEmpty() ? store : new ProtectedStore(store, keys);
    }

    /** Returns the keys that objects of a store are read and written with. */
    public static KeyRing keyRing(BlobStore store) {
        ProtectedStore view = findBehind(store, ProtectedStore.class);
        return view == null ? KeyRing.NONE : view.keys;
    }

    /** Returns the store in which objects are as they are stored, encrypted where they are. */
    public static BlobStore stored(BlobStore store) {
        ProtectedStore view = findBehind(store, ProtectedStore.class);
        return view == null ? store : view.store;
    }

    /** Returns a store that does as one does, but refuses commits that are known to be altered. */
    public static BlobStore without(BlobStore store, Set<String> altered) {
        return altered.isEmpty() ? store : of(new AlteredCommit(stored(store), altered), keyRing(store));
    }

    /** Returns a store that reads as one does, and encrypts to whom a host says. */
    public static BlobStore writing(BlobStore store, LogRecord.Recipients recipients) {
        KeyRing keys = keyRing(store).to(AgeRecipient.list(recipients.bytes()), AgeRecipient.list(recipients.own()));
        return of(stored(store), keys);
    }

    /** Says whether an identity opens what is encrypted to whom a host says. */
    public static boolean opensAll(BlobStore store, LogRecord.Recipients recipients) {
        return keyRing(store)
                .to(AgeRecipient.list(recipients.bytes()), AgeRecipient.list(recipients.own()))
                .opensAll();
    }

    @Override
    public void forget(String key) {
        opened.remove(key);
        last = null;
        super.forget(key);
    }

    private List<AgeRecipient> recipients(String key) {
        return switch (ArchiveLayout.kindOf(key)) {
            case BYTES -> keys.bytes();
            case RECORDS -> keys.records();
            case COMMIT, OPEN -> List.of();
        };
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        List<AgeRecipient> recipients = recipients(key);
        return store.putIfAbsent(
                key, recipients.isEmpty() ? content : MemorySegment.ofArray(Age.encrypt(recipients, content)));
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        List<AgeRecipient> recipients = recipients(key);
        BlobWriter writer = store.create(key);
        return recipients.isEmpty() ? writer : new AgeWriter(writer, AgeFile.to(recipients));
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        if (ArchiveLayout.kindOf(key) == ObjectKind.OPEN) {
            return store.get(key, offset, target);
        }
        Opened object = opened(key);
        AgeFile file = object.file();
        if (file == null) {
            return store.get(key, offset, target);
        }
        int done = 0;
        if (offset < object.base()) {
            int wanted = (int) Math.min(target.byteSize(), object.base() - offset);
            done = store.get(key, offset, target.asSlice(0, wanted));
            if (done < wanted) {
                return done;
            }
        }
        try {
            return done + content(key, object, file, offset + done - object.base(), target.asSlice(done));
        } catch (AgeException e) {
            throw cause(key, e);
        }
    }

    private int content(String key, Opened object, AgeFile file, long offset, MemorySegment target) throws IOException {
        long all = object.storedBytes() - object.base();
        long end = Math.min(file.leftBytes(all), offset + target.byteSize());
        long lastChunk = (all - file.startBytes() - 1) / AgeFile.SEALED_BYTES;
        AgeFile.Chunks chunks = file.chunks();
        byte[] batch = {};
        byte[] whole = {}; // takes each chunk that nobody will ask for again
        long batchFirst = 0;
        int done = 0;
        for (long at = offset; at < end; ) {
            long number = at / AgeFile.CHUNK_BYTES;
            int within = (int) (at - number * AgeFile.CHUNK_BYTES);
            Chunk chunk = last;
            if (chunk == null || chunk.number() != number || !chunk.key().equals(key)) {
                int from = (int) (number - batchFirst) * AgeFile.SEALED_BYTES;
                if (from >= batch.length) {
                    long until = Math.min((end - 1) / AgeFile.CHUNK_BYTES, number + BATCH_CHUNKS - 1);
                    batch = sealed(key, object, file, number, until);
                    batchFirst = number;
                    from = 0;
                }
                int length = Math.min(AgeFile.SEALED_BYTES, batch.length - from);
                boolean inPart = within > 0 || end - at < length - AgeFile.TAG_BYTES;
                whole = inPart || whole.length > 0 ? whole : new byte[AgeFile.CHUNK_BYTES];
                byte[] content = inPart ? new byte[AgeFile.CHUNK_BYTES] : whole;
                int got;
                try {
                    got = open(chunks, number, number == lastChunk, batch, from, length, content);
                } catch (AgeException e) {
                    if (done > 0) {
                        return done; // asked for what follows it says why that is not there
                    }
                    throw e;
                }
                chunk = new Chunk(key, number, content, got);
                last = inPart ? chunk : last;
            }
            int part = (int) Math.min(end - at, chunk.length() - within);
            MemorySegment.copy(chunk.content(), within, target, ValueLayout.JAVA_BYTE, done, part);
            at += part;
            done += part;
        }
        return done;
    }

    /** Decrypts a chunk, also one that was not the last before the file was cut off, or was before it got longer. */
    private static int open(
            AgeFile.Chunks chunks, long number, boolean last, byte[] sealed, int from, int length, byte[] content)
            throws AgeException {
        try {
            return chunks.open(number, last, sealed, from, length, content, 0);
        } catch (AgeException e) {
            try {
                return chunks.open(number, !last, sealed, from, length, content, 0);
            } catch (AgeException neither) {
                throw e;
            }
        }
    }

    /** Fetches chunks as they are stored. */
    private byte[] sealed(String key, Opened object, AgeFile file, long first, long until) throws IOException {
        long start = object.base() + file.startBytes() + first * AgeFile.SEALED_BYTES;
        long end = Math.min(object.storedBytes(), start + (until - first + 1) * AgeFile.SEALED_BYTES);
        byte[] bytes = new byte[(int) (end - start)];
        if (store.get(key, start, MemorySegment.ofArray(bytes)) != bytes.length) {
            throw new CorruptArchiveException(key, "it is cut off");
        }
        return bytes;
    }

    @Override
    public long size(String key) throws IOException {
        if (ArchiveLayout.kindOf(key) == ObjectKind.OPEN) {
            return store.size(key);
        }
        try {
            Opened object = opened(key);
            AgeFile file = object.file();
            return file == null
                    ? object.storedBytes()
                    : object.base() + file.contentBytes(object.storedBytes() - object.base());
        } catch (NoSuchBlobException e) {
            return -1;
        } catch (AgeException e) {
            throw cause(key, e);
        }
    }

    @Override
    public boolean exists(String key) throws IOException {
        return store.exists(key);
    }

    private Opened opened(String key) throws IOException {
        Opened object = opened.get(key);
        if (object == null) {
            object = open(key);
            opened.put(key, object);
        }
        return object;
    }

    private Opened open(String key) throws IOException {
        byte[] first = read(key, 0, FIRST_BYTES);
        long size = first.length < FIRST_BYTES ? first.length : store.size(key);
        long base = 0;
        if (ArchiveLayout.kindOf(key) == ObjectKind.COMMIT) {
            base = dataStart(key, first);
            if (base < 0 || base >= size) {
                return new Opened(null, 0, size);
            }
            first = base + FIRST_BYTES / 2 < first.length
                    ? Arrays.copyOfRange(first, (int) base, first.length)
                    : read(key, base, FIRST_BYTES);
        }
        if (!AgeFile.begins(first, first.length)) {
            return new Opened(null, 0, size);
        }
        try {
            return new Opened(AgeFile.open(first, first.length, keys.identities()), base, size);
        } catch (AgeException e) {
            if (e.fault() != AgeException.Fault.HEADER || base + first.length == size) {
                throw cause(key, e);
            }
        }
        byte[] more = read(key, base, AgeFile.MAX_HEADER_BYTES);
        try {
            return new Opened(AgeFile.open(more, more.length, keys.identities()), base, size);
        } catch (AgeException e) {
            throw cause(key, e);
        }
    }

    /** Returns where the data area of a commit begins; -1 when it is not encrypted. */
    private static long dataStart(String key, byte[] first) throws CorruptArchiveException {
        int protection = CommitHeader.PAYLOAD_START + FixedHeader.PROTECTION;
        if (first.length <= protection || first[protection] == FixedHeader.PLAIN) {
            return -1;
        }
        return CommitHeader.neededBytes(key, MemorySegment.ofArray(first));
    }

    private byte[] read(String key, long offset, int length) throws IOException {
        byte[] bytes = new byte[length];
        int got = store.get(key, offset, MemorySegment.ofArray(bytes));
        return Arrays.copyOf(bytes, Math.max(0, got));
    }

    private IOException cause(String key, AgeException e) {
        return e.fault() == AgeException.Fault.NO_MATCH
                ? new EncryptedException(key, e.recipients(), keys.identities().size())
                : new CorruptArchiveException(key, String.valueOf(e.getMessage()));
    }

    /** Passes on what is said of the headers of commits: where anything else lies is not known before it is opened. */
    @Override
    public void expect(Iterator<BlobRange> ranges) {
        Iterable<BlobRange> all = () -> ranges;
        Stream<BlobRange> commits = StreamSupport.stream(all.spliterator(), false)
                .filter(range -> ArchiveLayout.kindOf(range.key()) == ObjectKind.COMMIT);
        super.expect(commits.iterator());
    }

    @Override
    public void delete(String key) throws IOException {
        opened.remove(key);
        store.delete(key);
    }
}
