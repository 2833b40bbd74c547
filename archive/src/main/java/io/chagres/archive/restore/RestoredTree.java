package io.chagres.archive.restore;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.OrderedTasks;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.NameTree;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Makes the directories, files and links of one host below a directory. Every path is resolved by the kernel beneath
 * that directory without following links, and symbolic links are made last, so that none can be written through.
 * Confined to one thread, beside which workers write content.
 */
final class RestoredTree implements AutoCloseable {
    private static final int WORKING_DIRECTORY_MODE = 0700;
    private static final int HOST_DIRECTORY_MODE = 0755;

    /** Workers write this number of bytes at a time, or of parts, whichever is less. */
    private static final long BATCH_BYTES = 4L << 20;

    private static final int BATCH_PARTS = 256;

    private final Fd root;
    private final Pathname host;
    private final VersionReader reader;
    private final AttributeSetter attributes;
    private final RestoreCounter counter;
    private final PartWriter writer;
    private final Queue<PartWriter> pool = new ConcurrentLinkedQueue<>();
    private final Supplier<VersionReader> readers;
    private final OrderedTasks<Boolean> tasks;
    private final boolean specialBits;
    private List<RestoredFile> writing = List.of();

    /**
     * Makes a tree.
     *
     * @param root the directory restored into, borrowed
     * @param host where the host's root is, seen from that directory
     * @param reader stays the caller's
     * @param readers make further ones, of what is no copy, on any thread; closed with the tree
     */
    RestoredTree(
            Fd root,
            Pathname host,
            VersionReader reader,
            Supplier<VersionReader> readers,
            Workers workers,
            boolean specialBits,
            RestoreCounter counter) {
        this.root = root;
        this.host = host;
        this.reader = reader;
        this.readers = readers;
        this.specialBits = specialBits;
        this.counter = counter;
        attributes = new AttributeSetter(specialBits, counter);
        writer = new PartWriter(root, reader, attributes, counter);
        tasks = new OrderedTasks<>(workers, done -> {});
    }

    /** Returns the place of a host's path, seen from the directory restored into. */
    private Pathname placeOf(Pathname path) {
        byte[] bytes = path.bytes();
        return bytes.length == 1 ? host : host.resolve(Pathname.ofBytes(bytes, 1, bytes.length - 1));
    }

    private Directory openParent(Pathname place) throws ErrnoException {
        Pathname parent = place.parent();
        return openDirectory(parent == null ? Pathname.of(".") : parent);
    }

    private Directory openDirectory(Pathname place) throws ErrnoException {
        return Directory.of(Fd.openBeneath(root, place, Fd.O_RDONLY | Fd.O_DIRECTORY, 0));
    }

    private void fault(Pathname place, ErrnoException e) throws ErrnoException {
        counter.faultOrThrow(place, e);
    }

    /** Makes the host's directory and directories in it, parents first; those that exist are used. */
    void makeDirectories(Collection<Pathname> paths) throws IOException {
        Pathname above = host.parent();
        if (above != null) {
            makeDirectory(above, HOST_DIRECTORY_MODE);
        }
        makeDirectory(host, HOST_DIRECTORY_MODE);
        for (Pathname path : paths) {
            if (makeDirectory(placeOf(path), WORKING_DIRECTORY_MODE)) {
                counter.directory();
            }
        }
    }

    private boolean makeDirectory(Pathname place, int mode) throws IOException {
        try (Directory parent = openParent(place)) {
            int made = parent.tryMkdir(place.name(), mode);
            if (made < 0 && made != -Errno.EEXIST) {
                throw new ErrnoException("mkdir", -made, place.toString());
            }
            return made == 0;
        } catch (ErrnoException e) {
            fault(place, e);
            return false;
        }
    }

    /** Writes files, and gives them their further names. */
    void writeFiles(List<RestorePlan.PlannedFile> planned) throws IOException {
        List<RestoredFile> files = new ArrayList<>();
        planned.forEach(each ->
                files.add(new RestoredFile(each.version(), placeOf(each.paths().getFirst()))));
        writeContent(files);
        List<RestoredFile> notLinked = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            RestoredFile first = files.get(i);
            List<Pathname> paths = planned.get(i).paths();
            for (Pathname path : paths.subList(1, paths.size())) {
                Pathname place = placeOf(path);
                // where it was not written something else may lie
                if (first.isCompleted() && link(first.place(), place)) {
                    counter.link();
                } else {
                    notLinked.add(new RestoredFile(first.version(), place));
                }
            }
        }
        writeContent(notLinked);
    }

    /** Makes a hard link; false when the file system refuses and the file must be written again. */
    private boolean link(Pathname from, Pathname to) throws IOException {
        try (Directory fromParent = openParent(from);
                Directory toParent = openParent(to)) {
            return toParent.tryLink(fromParent, from.name(), to.name()) == 0;
        } catch (ErrnoException e) {
            return false;
        }
    }

    /**
     * Writes in the order in which the store holds the bytes, not file by file. Copies come last, by one thread: what
     * they copy from is found by the state.
     */
    private void writeContent(List<RestoredFile> files) throws IOException {
        writing = files;
        List<RestoredPart> parts = new ArrayList<>();
        List<RestoredPart> copies = new ArrayList<>();
        List<RestoredFile> empty = new ArrayList<>();
        for (RestoredFile file : files) {
            for (LogRecord.Extent extent : Extents.of(file.version())) {
                if (!(extent instanceof LogRecord.ZeroRun)) {
                    (extent instanceof LogRecord.CopyRun ? copies : parts).add(new RestoredPart(file, extent));
                    file.expectPart();
                    counter.expect(Math.min(extent.end(), file.version().length()) - extent.start());
                }
            }
            if (file.isComplete()) {
                empty.add(file);
            }
        }
        parts.sort(Comparator.comparing(RestoredPart::extent, Extents.AS_STORED));
        copies.sort(Comparator.comparing(RestoredPart::extent, Extents.AS_STORED));
        for (RestoredFile file : empty) {
            writer.finish(file);
        }
        reader.expect(Stream.concat(parts.stream(), copies.stream())
                .map(RestoredPart::extent)
                .iterator());
        giveInBatches(parts);
        tasks.finish();
        for (RestoredPart part : copies) {
            writer.write(part);
        }
        writing = List.of();
    }

    private void giveInBatches(List<RestoredPart> parts) throws IOException {
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < parts.size(); i++) {
            bytes += parts.get(i).extent().length();
            if (bytes >= BATCH_BYTES || i + 1 - from == BATCH_PARTS || i + 1 == parts.size()) {
                List<RestoredPart> batch = parts.subList(from, i + 1);
                tasks.add(() -> writeBatch(batch));
                from = i + 1;
                bytes = 0;
            }
        }
    }

    private boolean writeBatch(List<RestoredPart> batch) throws IOException {
        PartWriter pooled = pool.poll();
        PartWriter free = pooled != null
                ? pooled
                : new PartWriter(root, readers.get(), new AttributeSetter(specialBits, counter), counter);
        try {
            for (RestoredPart part : batch) {
                free.write(part);
            }
            return true;
        } finally {
            pool.add(free);
        }
    }

    /** Makes symbolic links. */
    void makeLinks(List<NameTree.Entry> links) throws IOException {
        for (NameTree.Entry link : links) {
            Pathname place = placeOf(link.path());
            try (Directory parent = openParent(place)) {
                parent.symlink(link.target(), place.name());
                attributes.setOfLink(parent, place, link.attributes());
                counter.link();
            } catch (ErrnoException e) {
                fault(place, e);
            }
        }
    }

    /** Gives directories their attributes, the deepest first: whatever is written into one changes its time. */
    void finishDirectories(Map<Pathname, InodeAttributes> deepestFirst) throws IOException {
        for (Map.Entry<Pathname, InodeAttributes> each : deepestFirst.entrySet()) {
            Pathname place = placeOf(each.getKey());
            try (Directory directory = openDirectory(place)) {
                attributes.set(directory.fd(), place, each.getValue());
            } catch (ErrnoException e) {
                fault(place, e);
            }
        }
    }

    @Override
    public void close() {
        tasks.close();
        writer.close();
        for (PartWriter each : pool) {
            each.close();
            each.reader().close();
        }
        writing.forEach(each -> each.discard(root));
    }
}
