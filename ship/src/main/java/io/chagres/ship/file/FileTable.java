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
 * Holds the versions that are followed, a row each, and finds that of a file by its kernel identity. A row is that of
 * its version until this is over for good, and then that of another one. Two mounted copies of one file-system image
 * have equal identities; in memory the device tells them apart. Confined to the shipper's thread.
 */
public final class FileTable implements InodeTable.Inodes {
    private final List<OfVolume> volumes = new ArrayList<>();
    private final FileQueue fresh = new FileQueue(FileQueue.For.FIRST_LOOK);
    /** Files that rest, and may give up their objects. */
    private final FileQueue settling = new FileQueue(FileQueue.For.REST);

    private final List<FileBlock> blocks = new ArrayList<>();
    private final FreeNumbers free = new FreeNumbers();

    private final class OfVolume {
        final SourceVolume volume;
        final InodeTable files = new InodeTable(FileTable.this);

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

    // -- rows

    private FileBlock blockOf(int row) {
        return blocks.get(row / FileBlock.ROWS);
    }

    @Override
    public long inode(int row) {
        return blockOf(row).inode(row % FileBlock.ROWS);
    }

    @Override
    public long generation(int row) {
        return blockOf(row).generation(row % FileBlock.ROWS);
    }

    private int takeRow() {
        if (free.isEmpty()) {
            int first = blocks.size() * FileBlock.ROWS;
            blocks.add(new FileBlock(this, first));
            free.give(first, first + FileBlock.ROWS);
        }
        return free.take();
    }

    /** Returns how many blocks of rows there are. */
    public int blocks() {
        return blocks.size();
    }

    /** Returns a block of rows. */
    public FileBlock block(int index) {
        return blocks.get(index);
    }

    /** Says whether a row is that of a version which somebody may still ask for. */
    public boolean isUsed(int row) {
        return row < blocks.size() * FileBlock.ROWS && blockOf(row).isUsed(row % FileBlock.ROWS);
    }

    /** Returns the version of a row that is used. */
    public Tail tail(int row) {
        return blockOf(row).tail(row % FileBlock.ROWS);
    }

    /** Returns the checksum of the first bytes of the version of a row, see {@link Tail#headCrc}. */
    public int headCrc(int row) {
        return blockOf(row).headCrc(row % FileBlock.ROWS);
    }

    /** Lets a file that rests give up its object soon. */
    void settle(Tail tail) {
        settling.add(tail);
    }

    /**
     * Lets files at rest give up their objects. None may be held by anybody at that moment, but for queues and by
     * {@link TailFact#HELD}.
     */
    public void settle() {
        for (Tail each = settling.poll(); each != null; each = settling.poll()) {
            each.giveUp();
        }
    }

    // -- files

    /** Returns the current version of a file, or null. */
    @Nullable
    public Tail find(FileIdentity identity, long device) {
        OfVolume files = of(identity, device);
        return files == null ? null : find(files, identity.inode(), identity.generation());
    }

    private @Nullable Tail find(OfVolume files, long inode, long generation) {
        int row = files.files.find(inode, generation);
        return row < 0 ? null : tail(row);
    }

    /** Returns the current version of the file that a tail is a version of, or null. */
    public @Nullable Tail current(Tail tail) {
        OfVolume files = of(tail.volume());
        return files == null ? null : find(files, tail.inode(), tail.generation());
    }

    /** Makes a tail the current version of its file. */
    public void put(Tail tail) {
        OfVolume files = of(tail.volume());
        if (files == null) {
            files = new OfVolume(tail.volume());
            volumes.add(files);
        }
        int row = takeRow();
        tail.take(blockOf(row), row % FileBlock.ROWS);
        files.files.put(row);
        files.volume.moving().add(tail);
        fresh.add(tail);
    }

    /** Takes a tail that was put since; null when there is none. */
    public @Nullable Tail pollFresh() {
        return fresh.poll();
    }

    /** Forgets a version that is over for good; its file too, if it still is the current one. */
    public void remove(Tail tail) {
        int row = tail.row();
        if (row < 0) {
            return;
        }
        OfVolume files = of(tail.volume());
        if (files != null) {
            files.files.remove(row);
            if (files.files.size() == 0) {
                volumes.remove(files);
            }
        }
        tail.leave();
        free.give(row);
        while (!blocks.isEmpty() && blocks.getLast().used() == 0) {
            blocks.removeLast();
            free.forget(blocks.size() * FileBlock.ROWS);
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
                InodeTable files = volumes.get(volume).files;
                while (slot < files.slots()) {
                    int row = files.at(slot++);
                    if (row >= 0) {
                        return tail(row);
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

    /**
     * Returns the current versions that have an object: all whose bytes are not known to be shipped, acknowledged and
     * proven by the times of the file, and some others.
     */
    public List<Tail> objects() {
        List<Tail> all = new ArrayList<>();
        for (FileBlock block : blocks) {
            for (int row = 0; row < FileBlock.ROWS && block.hasObjects(); row++) {
                Tail each = block.object(row);
                if (each != null && each.isLive()) {
                    all.add(each);
                }
            }
        }
        return all;
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
