package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.format.FixedHeader;
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
 * Keeps the states of large hosts as files in a local directory, so that what is in them need not be in memory: that of
 * a checkpoint, and the last one a host was loaded to. A file is named by what it was made from, so that the next
 * program finds it, or has no name and goes with this one. Whoever loads a state through it may use that until the one
 * after the next of the same host is loaded. Safe for any thread.
 */
public final class Catalogs implements AutoCloseable {
    /** A host of so many files is laid out as a file. */
    public static final int LARGE_VERSIONS = 16 * 1024;

    /** What a file takes in a checkpoint at least. */
    private static final int BYTES_PER_VERSION = 32;

    /** So many times a large host's versions may be in memory while it is loaded. */
    private static final int MAX_KEPT_FACTOR = 8;

    private static final String PREFIX = "catalog-";
    private static final int MODE = 0600;
    private static final int STATES_PER_HOST = 2;

    private final Pathname directory;
    private final boolean named;
    private final int largeVersions;
    private final Runnable freed;
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
     * @param largeVersions how many versions are worth it
     * @param freed is told when much of what was in memory is in a file, at a moment at which it can be collected
     */
    public Catalogs(Pathname directory, boolean named, int largeVersions, Runnable freed) {
        this.directory = directory;
        this.named = named;
        this.largeVersions = largeVersions;
        this.freed = freed;
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
        if (store.size(key) < (long) largeVersions * BYTES_PER_VERSION) {
            return null;
        }
        Pathname name = name(store, key);
        CatalogFile catalog = named ? existing(name) : null;
        if (catalog == null) {
            catalog = made(named ? name : null, file -> {
                try (CheckpointReader from = new CheckpointReader(store, key, FixedHeader.CHECKPOINT)) {
                    return CatalogWriter.write(from, file);
                }
            });
        }
        return loading(hostId, catalog);
    }

    /**
     * Returns the catalog that {@link #roll} made last, by any program, of a checkpoint and commits after it; {@link
     * #settle} follows.
     *
     * @param checkpoint the newest there was, null for none: later ones say that bytes may be elsewhere
     * @return null if there is none
     */
    @Nullable
    CatalogFile rolled(BlobStore store, String hostId, @Nullable CheckpointId checkpoint) {
        return loading(hostId, named ? existing(rolledName(store, hostId, checkpoint)) : null);
    }

    /**
     * Lays out a state that is being loaded, which is then of no use any more; {@link #settle} follows.
     *
     * @param checkpoint what it was loaded from, null for none
     * @param keep whether {@link #rolled} is to find it; only where {@link #isNamed}
     * @return null if it cannot be laid out; the state stays good
     * @throws IOException when what the state stands over cannot be read
     */
    @Nullable
    CatalogFile roll(BlobStore store, String hostId, @Nullable CheckpointId checkpoint, HostState state, boolean keep)
            throws IOException {
        Pathname name = keep ? rolledName(store, hostId, checkpoint) : null;
        CatalogFile catalog = made(name, file -> CatalogWriter.write(state, file));
        CatalogFile before = state.catalog();
        if (catalog != null && before != null) {
            synchronized (this) {
                loading.getOrDefault(hostId, new ArrayDeque<>()).remove(before);
            }
            before.close();
        }
        return loading(hostId, catalog);
    }

    /** Says whether the next program finds what this one lays out. */
    boolean isNamed() {
        return named;
    }

    /** Returns how many versions may be in memory while a host is loaded. */
    int maxKept() {
        return MAX_KEPT_FACTOR * largeVersions;
    }

    /** Says that nobody holds what {@link #roll} has laid out any more. */
    void freed() {
        freed.run();
    }

    /** Says whether it is worth it to lay out so many versions. */
    boolean isLarge(int versions) {
        return versions >= largeVersions;
    }

    private @Nullable CatalogFile loading(String hostId, @Nullable CatalogFile catalog) {
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

    /** Writes a catalog into an empty file, which it then owns. */
    private interface Writing {
        @Nullable
        CatalogFile into(Fd file) throws IOException;
    }

    /** Makes a catalog, which stays under a name unless that is null; null if that is not possible here. */
    private @Nullable CatalogFile made(@Nullable Pathname name, Writing writing) throws IOException {
        Pathname temporary =
                Pathname.of("new-" + PREFIX + ProcessHandle.current().pid() + "-" + number.incrementAndGet());
        Pathname path = name == null ? directory : directory.resolve(temporary);
        int flags = Fd.O_RDWR | (name == null ? Fd.O_TMPFILE : Fd.O_CREAT | Fd.O_TRUNC);
        int opened = Fd.tryOpen(path, flags, MODE);
        if (opened < 0) {
            return null;
        }
        Fd file = Fd.ofValue(opened);
        CatalogFile catalog = null;
        try {
            catalog = writing.into(file);
            return catalog;
        } catch (ErrnoException e) {
            return null; // the disk is full
        } finally {
            if (catalog == null) {
                file.close();
            }
            if (name != null) {
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

    private static Pathname rolledName(BlobStore store, String hostId, @Nullable CheckpointId checkpoint) {
        String of = checkpoint == null ? "" : ArchiveLayout.checkpoint(hostId, checkpoint);
        return name(store, ArchiveLayout.log(hostId) + '\0' + of);
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
