package io.chagres.ship.file;

import io.chagres.watch.FileIdentity;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tail of a file by its kernel identity. Two mounted copies of one file-system image have equal identities;
 * in memory the device tells them apart. A file costs one reference here, or two. Confined to the shipper's thread.
 */
public final class FileTable {
    private final List<OfVolume> volumes = new ArrayList<>();
    private final FileQueue fresh = new FileQueue(FileQueue.For.FIRST_LOOK);

    private static final class OfVolume {
        final SourceVolume volume;
        final InodeTable<Tail> files = new InodeTable<>();

        OfVolume(SourceVolume volume) {
            this.volume = volume;
        }
    }

    /** Returns the facts that all files of a volume share. */
    SourceVolume volume(FileIdentity identity, long device) {
        OfVolume known = of(identity, device);
        return known == null ? new SourceVolume(identity.fsHigh(), identity.fsLow(), device) : known.volume;
    }

    private @Nullable OfVolume of(FileIdentity identity, long device) {
        for (int i = 0; i < volumes.size(); i++) {
            if (volumes.get(i).volume.holds(identity, device)) {
                return volumes.get(i);
            }
        }
        return null;
    }

    private @Nullable OfVolume of(SourceVolume volume) {
        for (int i = 0; i < volumes.size(); i++) {
            if (volumes.get(i).volume.equals(volume)) {
                return volumes.get(i);
            }
        }
        return null;
    }

    /** Returns the current version of a file, or null. */
    @Nullable
    public Tail find(FileIdentity identity, long device) {
        OfVolume files = of(identity, device);
        return files == null ? null : files.files.find(identity.inode(), identity.generation());
    }

    /** Returns the current version of the file that a tail is a version of, or null. */
    public @Nullable Tail current(Tail tail) {
        OfVolume files = of(tail.volume());
        return files == null ? null : files.files.find(tail.inode(), tail.generation());
    }

    /** Makes a tail the current version of its file. */
    public void put(Tail tail) {
        OfVolume files = of(tail.volume());
        if (files == null) {
            files = new OfVolume(tail.volume());
            volumes.add(files);
        }
        files.files.put(tail);
        files.volume.moving().add(tail);
        fresh.add(tail);
    }

    /** Takes a tail that was put since; null when there is none. */
    public @Nullable Tail pollFresh() {
        return fresh.poll();
    }

    /** Forgets a file, if this tail still is its current version. */
    public void remove(Tail tail) {
        OfVolume files = of(tail.volume());
        if (files != null) {
            files.files.remove(tail);
            if (files.files.size() == 0) {
                volumes.remove(files);
            }
        }
    }

    /** Returns the file systems of all files. */
    public List<SourceVolume> volumes() {
        List<SourceVolume> all = new ArrayList<>(volumes.size());
        volumes.forEach(each -> all.add(each.volume));
        return all;
    }

    /** Returns how many bytes the files have that rest. */
    public long restingBytes() {
        long bytes = 0;
        for (OfVolume each : volumes) {
            bytes += each.volume.restingBytes();
        }
        return bytes;
    }

    /** Returns the current version of every file followed; none may be put or removed meanwhile. */
    public Collection<Tail> all() {
        return new AbstractCollection<>() {
            @Override
            public Iterator<Tail> iterator() {
                return new All();
            }

            @Override
            public int size() {
                return FileTable.this.size();
            }
        };
    }

    private final class All implements Iterator<Tail> {
        private int volume;
        private int slot;
        private @Nullable Tail next = advance();

        private @Nullable Tail advance() {
            for (; volume < volumes.size(); volume++, slot = 0) {
                InodeTable<Tail> files = volumes.get(volume).files;
                while (slot < files.slots()) {
                    Tail each = files.at(slot++);
                    if (each != null) {
                        return each;
                    }
                }
            }
            return null;
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public Tail next() {
            Tail now = next;
            if (now == null) {
                throw new NoSuchElementException();
            }
            next = advance();
            return now;
        }
    }

    /** Returns how many files are followed. */
    public int size() {
        int size = 0;
        for (int i = 0; i < volumes.size(); i++) {
            size += volumes.get(i).files.size();
        }
        return size;
    }
}
