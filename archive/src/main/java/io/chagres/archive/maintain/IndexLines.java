package io.chagres.archive.maintain;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.store.BlobInputStream;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads an index of objects once, for a caller that asks for versions in the order of their ids; none of it stays in
 * memory. Lines that are damaged, missing or out of order count as unknown. Confined to one thread.
 */
final class IndexLines implements AutoCloseable {
    private final BlobStore store;
    private final String key;
    private @Nullable BufferedReader lines;
    private ObjectIndex.@Nullable Line next;
    private boolean isOver;
    private long lastId = -1;
    private Map<String, StoredFacts.Stored> found = Map.of();

    /** Reads nothing yet. */
    IndexLines(BlobStore store, String key) {
        this.store = store;
        this.key = key;
    }

    /** Returns what it says of a version, by the places of its bytes; ids ascend. */
    Map<String, StoredFacts.Stored> of(long versionId) {
        if (versionId == lastId) {
            return found;
        }
        lastId = versionId;
        found = new HashMap<>();
        if (next == null) {
            advance();
        }
        while (next != null && next.versionId() < versionId) {
            advance();
        }
        while (next != null && next.versionId() == versionId) {
            found.put(next.place(), next.stored());
            advance();
        }
        return found;
    }

    private void advance() {
        next = null;
        try {
            while (next == null && !isOver) {
                String line = line();
                isOver = line == null;
                next = line == null ? null : ObjectIndex.parse(line);
            }
        } catch (NoSuchBlobException | CorruptArchiveException | EncryptedException | ZstdIOException e) {
            isOver = true; // when the bytes were committed is then known as far as the version says
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private @Nullable String line() throws IOException {
        try {
            return lines().readLine();
        } catch (StoreException e) {
            throw CorruptArchiveException.noObject(key, e);
        }
    }

    private BufferedReader lines() throws IOException {
        BufferedReader there = lines;
        if (there == null) {
            there = new BufferedReader(new InputStreamReader(
                    new ZstdInputStreamNoFinalizer(new BlobInputStream(store, key)), StandardCharsets.UTF_8));
            lines = there;
        }
        return there;
    }

    @Override
    public void close() {
        try {
            if (lines != null) {
                lines.close();
            }
        } catch (IOException e) {
            // it was only read
        }
    }
}
