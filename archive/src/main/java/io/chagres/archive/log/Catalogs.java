package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the checkpoints of large hosts as files in a local directory, so that what is in them need not be in memory. A
 * file is named by what it was made from, so that the next program finds it, or has no name and goes with this one.
 * Whoever loads a state through it may use that until the state after the next one of the same host is loaded. Safe for
 * any thread.
 */
public final class Catalogs implements AutoCloseable {
    /** A checkpoint of so many stored bytes, some ten thousand files, is laid out as a file. */
    public static final long LARGE_BYTES = 512 * 1024;

    private static final String PREFIX = "catalog-";
    private static final int MODE = 0600;
    private static final int STATES_PER_HOST = 2;

    private final Pathname directory;
    private final boolean named;
    private final long minBytes;
    private final AtomicLong number = new AtomicLong();

    /** The catalogs of each host's last states. */
    private final Map<String, Deque<CatalogFile>> used = new HashMap<>();

    /** Those of states that are being loaded. */
    private final Map<String, Deque<CatalogFile>> loading = new HashMap<>();

    /**
     * Begins to keep catalogs.
     *
     * @param directory an existing directory; where it cannot be written, states are loaded into memory as a whole
     * @param named whether files stay for the next program
     * @param minBytes stored size of the smallest checkpoint that is worth it
     */
    public Catalogs(Pathname directory, boolean named, long minBytes) {
        this.directory = directory;
        this.named = named;
        this.minBytes = minBytes;
    }

    /**
     * Returns the catalog of a checkpoint, made if it is not there; {@link #settle} follows. One host is loaded by one
     * thread at a time.
     *
     * @return null if the checkpoint is small, or cannot be laid out
     * @throws IOException when the store refuses or the checkpoint is damaged
     */
    @Nullable
    CatalogFile of(BlobStore store, String hostId, CheckpointId checkpoint) throws IOException {
        String key = ArchiveLayout.checkpoint(hostId, checkpoint);
        if (store.size(key) < minBytes) {
            return null;
        }
        Pathname name = name(store, key);
        CatalogFile catalog = named ? existing(name) : null;
        if (catalog == null) {
            catalog = made(store, key, name);
        }
        if (catalog != null) {
            synchronized (this) {
                loading.computeIfAbsent(hostId, each -> new ArrayDeque<>()).add(catalog);
            }
        }
        return catalog;
    }

    /** Keeps the catalog a host's state was loaded through, null for none, and closes those tried before. */
    synchronized void settle(String hostId, @Nullable CatalogFile catalog) {
        for (CatalogFile each : loading.getOrDefault(hostId, new ArrayDeque<>())) {
            if (each != catalog) {
                each.close();
            }
        }
        loading.remove(hostId);
        if (catalog != null) {
            Deque<CatalogFile> ofHost = used.computeIfAbsent(hostId, each -> new ArrayDeque<>());
            ofHost.add(catalog);
            if (ofHost.size() > STATES_PER_HOST) {
                ofHost.remove().close();
            }
        }
    }

    private @Nullable CatalogFile existing(Pathname name) {
        int opened = Fd.tryOpen(directory.resolve(name), Fd.O_RDONLY | Fd.O_NONBLOCK, 0);
        if (opened < 0) {
            return null;
        }
        Fd file = Fd.ofValue(opened);
        CatalogFile catalog = CatalogFile.open(file);
        if (catalog == null) {
            file.close();
        }
        return catalog;
    }

    private @Nullable CatalogFile made(BlobStore store, String key, Pathname name) throws IOException {
        Pathname temporary =
                Pathname.of("new-" + PREFIX + ProcessHandle.current().pid() + "-" + number.incrementAndGet());
        Pathname path = named ? directory.resolve(temporary) : directory;
        int flags = Fd.O_RDWR | (named ? Fd.O_CREAT | Fd.O_TRUNC : Fd.O_TMPFILE);
        int opened = Fd.tryOpen(path, flags, MODE);
        if (opened < 0) {
            return null;
        }
        Fd file = Fd.ofValue(opened);
        CatalogFile catalog = null;
        try (CheckpointReader checkpoint = new CheckpointReader(store, key)) {
            catalog = CatalogWriter.write(checkpoint, file);
            return catalog;
        } catch (ErrnoException e) {
            return null; // the disk is full
        } finally {
            if (catalog == null) {
                file.close();
            }
            if (named) {
                keep(temporary, catalog == null ? null : name);
            }
        }
    }

    /** Gives a file its name, or removes it. */
    private void keep(Pathname temporary, @Nullable Pathname name) {
        try (Directory in = Directory.open(directory)) {
            if (name == null) {
                in.unlink(temporary);
            } else {
                in.rename(temporary, in, name, 0);
            }
        } catch (ErrnoException e) {
            // somebody emptied the directory; the open file stays good
        }
    }

    private static Pathname name(BlobStore store, String key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] hash = digest.digest((store.name() + '\0' + key).getBytes(StandardCharsets.UTF_8));
            return Pathname.of(PREFIX + HexFormat.of().formatHex(hash));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Closes all files: states that were loaded through them are of no use any more. */
    @Override
    public synchronized void close() {
        used.values().forEach(ofHost -> ofHost.forEach(CatalogFile::close));
        used.clear();
    }
}
