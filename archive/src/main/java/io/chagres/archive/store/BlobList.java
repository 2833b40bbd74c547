package io.chagres.archive.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * Objects of a store in the order in which they were added, in some 30 bytes each however long their keys are: a log
 * has a million of them. Only grows. Confined to one thread while it does.
 */
public final class BlobList extends AbstractList<BlobInfo> implements RandomAccess {
    private static final int CHUNK = 4096;

    private final List<Chunk> chunks = new ArrayList<>();
    /** Those that are not packed yet, less than a chunk. */
    private List<BlobInfo> newest = new ArrayList<>();
    /** Those in the place of the newest, once nothing more is added. */
    private @Nullable Chunk packed;

    /** Makes an empty list. */
    public BlobList() {}

    /**
     * Makes a list of what another one shows.
     *
     * @param objects iterated once
     */
    public static BlobList of(Iterable<BlobInfo> objects) {
        if (objects instanceof BlobList list) {
            return list;
        }
        BlobList list = new BlobList();
        objects.forEach(list::add);
        return list;
    }

    /**
     * Lists all keys of a store that begin with a prefix, page by page.
     *
     * @param afterKey only keys behind this one, or null for all
     * @throws StoreException when the store refuses, or shows a page again
     */
    public static List<BlobInfo> all(BlobStore store, String prefix, @Nullable String afterKey) throws IOException {
        BlobPage page = store.page(prefix, afterKey, Integer.MAX_VALUE);
        if (page.isLast()) {
            return page.objects();
        }
        BlobList all = new BlobList();
        all.addAll(page.objects());
        while (!page.isLast()) {
            String last = all.getLast().key();
            page = store.page(prefix, last, Integer.MAX_VALUE);
            if (!page.isLast() && page.objects().getFirst().key().compareTo(last) <= 0) {
                throw new StoreException(store.name() + ": a list does not continue behind " + last);
            }
            all.addAll(page.objects());
        }
        return all;
    }

    /** Returns the first object of {@link #all}, or null when there is none; one request. */
    public static @Nullable BlobInfo first(BlobStore store, String prefix) throws IOException {
        List<BlobInfo> found = store.page(prefix, null, 1).objects();
        return found.isEmpty() ? null : found.getFirst();
    }

    @Override
    public boolean add(BlobInfo object) {
        newest.add(object);
        if (newest.size() == CHUNK) {
            chunks.add(Chunk.of(newest));
            newest.clear();
        }
        return true;
    }

    /** Takes as little memory as it can from now on; nothing may be added after that. */
    public void pack() {
        if (!newest.isEmpty()) {
            packed = Chunk.of(newest);
            newest = new ArrayList<>(0);
        }
    }

    @Override
    public int size() {
        return chunks.size() * CHUNK + (packed == null ? newest.size() : packed.ends.length);
    }

    @Override
    public BlobInfo get(int index) {
        Objects.checkIndex(index, size());
        int chunk = index / CHUNK;
        Chunk last = chunk < chunks.size() ? chunks.get(chunk) : packed;
        return last != null ? last.get(index % CHUNK) : newest.get(index % CHUNK);
    }

    /** Objects whose keys begin alike; {@code rests} are what is behind that, one after the other. */
    private record Chunk(String prefix, byte[] rests, int[] ends, long[] lengthsBytes, long[] modifiedMs) {
        static Chunk of(List<BlobInfo> objects) {
            String prefix = objects.getFirst().key();
            for (BlobInfo object : objects) {
                while (!object.key().startsWith(prefix)) {
                    prefix = prefix.substring(0, prefix.length() - 1);
                }
            }
            int[] ends = new int[objects.size()];
            long[] lengths = new long[objects.size()];
            long[] modified = new long[objects.size()];
            StringBuilder rests = new StringBuilder();
            for (int i = 0; i < ends.length; i++) {
                BlobInfo object = objects.get(i);
                rests.append(object.key(), prefix.length(), object.key().length());
                ends[i] = rests.length();
                lengths[i] = object.lengthBytes();
                modified[i] = object.modifiedMs();
            }
            return new Chunk(prefix, rests.toString().getBytes(StandardCharsets.ISO_8859_1), ends, lengths, modified);
        }

        BlobInfo get(int index) {
            int begin = index == 0 ? 0 : ends[index - 1];
            String rest = new String(rests, begin, ends[index] - begin, StandardCharsets.ISO_8859_1);
            return new BlobInfo(prefix + rest, lengthsBytes[index], modifiedMs[index]);
        }
    }
}
