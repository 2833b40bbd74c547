package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * A store in memory that is damaged as hardware, mistakes and strangers do it: bits flip, objects end early or late,
 * are another's, are gone, have another number, or are a directory or FIFO. Confined to one thread.
 */
final class DamagedStore extends ForwardingStore {
    final MemoryStore memory;
    private final Set<String> nothings;
    private boolean isSomethingGone;

    DamagedStore(MemoryStore memory) {
        this(memory, new TreeSet<>());
    }

    private DamagedStore(MemoryStore memory, Set<String> nothings) {
        super(memory);
        this.memory = memory;
        this.nothings = nothings;
    }

    DamagedStore copy() {
        return new DamagedStore(memory.copy(), new TreeSet<>(nothings));
    }

    /** Returns the keys of objects, and of what is none. */
    List<String> keys() {
        List<String> keys = new ArrayList<>(memory.keys());
        keys.addAll(nothings);
        return keys;
    }

    /** Says whether an object was taken away without a trace: nobody can miss the last of a log then. */
    boolean isSomethingGone() {
        return isSomethingGone;
    }

    /** Damages something, and returns what. */
    String damage(RandomGenerator random) throws IOException {
        List<String> keys = memory.keys().stream()
                .filter(key -> !key.startsWith(ArchiveLayout.NAMES) && !key.startsWith(ArchiveLayout.QUARANTINE))
                .toList();
        String key = keys.get(random.nextInt(keys.size()));
        byte[] bytes = memory.bytes(key).clone();
        int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        int kind = random.nextInt(12);
        switch (bytes.length == 0 ? 4 : kind) {
            case 0, 1 -> {
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                memory.replace(key, bytes);
            }
            case 2 -> memory.replace(key, Arrays.copyOf(bytes, at));
            case 3 -> memory.replace(key, Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(40)));
            case 4 -> {
                isSomethingGone = true;
                memory.delete(key);
            }
            case 5 -> { // another object of the archive, or of another host
                isSomethingGone |= key.startsWith(ArchiveLayout.QUARANTINE);
                String other = keys.get(random.nextInt(keys.size()));
                memory.replace(key, memory.bytes(other).clone());
                return "the bytes of " + other + " as " + key;
            }
            case 6 -> { // the records, or what is behind them
                Arrays.fill(bytes, at, Math.min(bytes.length, at + 64), (byte) 0xff);
                memory.replace(key, bytes);
            }
            case 7 -> {
                List<String> alike = keys.stream()
                        .filter(other -> folder(other).equals(folder(key)))
                        .toList();
                String other = alike.get(random.nextInt(alike.size()));
                memory.replace(key, memory.bytes(other).clone());
                memory.replace(other, bytes);
                return key + " and " + other + " exchanged";
            }
            case 8 -> memory.replace(key, new byte[0]);
            case 9 -> {
                isSomethingGone = true;
                memory.delete(key);
                nothings.add(key);
            }
            case 10 -> {
                byte[] part = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 100));
                System.arraycopy(part, 0, bytes, random.nextInt(bytes.length - part.length + 1), part.length);
                memory.replace(key, bytes);
            }
            default -> {
                String number = String.format("%016d", random.nextLong(1L << random.nextInt(1, 53)) + 1);
                String stray = key.replaceFirst("[0-9]{16}(?=[^/]*$)", number);
                memory.replace(stray, bytes);
                return "a copy as " + stray;
            }
        }
        return kind + " at " + at + " of " + key;
    }

    private static String folder(String key) {
        String[] parts = key.split("/");
        return parts.length > 2 ? parts[2] : parts[0];
    }

    private void require(String key) throws StoreException {
        if (nothings.contains(key)) {
            throw new StoreException(
                    key + " is no file", new IOException("a directory"), StoreException.Kind.NO_OBJECT);
        }
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        require(key);
        return store.get(key, offset, target);
    }

    @Override
    public long size(String key) throws IOException {
        require(key);
        return store.size(key);
    }

    @Override
    public boolean exists(String key) throws IOException {
        require(key);
        return store.exists(key);
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        return !nothings.contains(key) && store.putIfAbsent(key, content);
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        require(key);
        return store.create(key);
    }

    @Override
    public void delete(String key) throws IOException {
        if (!nothings.remove(key)) {
            store.delete(key);
        }
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        Set<String> all = new TreeSet<>(store.children(prefix));
        for (String key : nothings) {
            if (key.startsWith(prefix)) {
                all.add(key.substring(prefix.length()).split("/")[0]);
            }
        }
        return List.copyOf(all);
    }

    @Override
    public void move(String key, String target, long maxBytes) throws IOException {
        if (nothings.remove(key)) {
            nothings.add(target); // as a directory keeps what is in it
        } else {
            BlobStore.moveByCopy(this, key, target, maxBytes);
        }
    }
}
