package io.chagres.archive.restore;

import io.chagres.archive.Attributes;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.NameTree;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the directories, files and links of one host below a directory. Every path is resolved by the kernel beneath
 * that directory without following links, and symbolic links are made last, so that none can be written through.
 * Confined to one thread.
 */
final class RestoredTree implements AutoCloseable {
    private static final int WORKING_DIRECTORY_MODE = 0700;
    private static final int HOST_DIRECTORY_MODE = 0755;
    private static final int MAX_OPEN_FILES = 128;

    /** A part of a file that is to be written. */
    private record Part(RestoredFile file, LogRecord.Extent extent) {}

    private final Fd root;
    private final Pathname host;
    private final VersionReader reader;
    private final AttributeSetter attributes;
    private final RestoreCounter counter;
    private final Map<RestoredFile, Fd> open = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Makes a tree.
     *
     * @param root the directory restored into, borrowed
     * @param host one name
     */
    RestoredTree(Fd root, Pathname host, VersionReader reader, boolean specialBits, RestoreCounter counter) {
        this.root = root;
        this.host = host;
        this.reader = reader;
        this.counter = counter;
        attributes = new AttributeSetter(specialBits, counter);
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
        if (Restore.isFatal(e.errno())) {
            throw e;
        }
        counter.fault(place.toString(), e);
    }

    /** Makes the host's directory and directories in it, parents first; those that exist are used. */
    void makeDirectories(Collection<Pathname> paths) throws IOException {
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
    void writeFiles(Iterable<RestorePlan.PlannedFile> planned) throws IOException {
        List<RestoredFile> files = new ArrayList<>();
        planned.forEach(each ->
                files.add(new RestoredFile(each.version(), placeOf(each.paths().getFirst()))));
        writeContent(files);
        List<RestoredFile> notLinked = new ArrayList<>();
        for (RestorePlan.PlannedFile each : planned) {
            Pathname first = placeOf(each.paths().getFirst());
            for (Pathname path : each.paths().subList(1, each.paths().size())) {
                if (link(first, placeOf(path))) {
                    counter.link();
                } else {
                    notLinked.add(new RestoredFile(each.version(), placeOf(path)));
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

    /** Writes in the order in which the store holds the bytes, not file by file. */
    private void writeContent(List<RestoredFile> files) throws IOException {
        List<Part> parts = new ArrayList<>();
        for (RestoredFile file : files) {
            for (LogRecord.Extent extent : Extents.of(file.version())) {
                if (!(extent instanceof LogRecord.ZeroRun)) {
                    parts.add(new Part(file, extent));
                    file.expectPart();
                    counter.expect(Math.min(extent.end(), file.version().length()) - extent.start());
                }
            }
        }
        parts.sort(Comparator.comparing(Part::extent, Extents.AS_STORED));
        for (RestoredFile file : files) {
            if (file.isComplete()) {
                writing(file, fd -> finish(file, fd));
            }
        }
        reader.expect(parts.stream().map(Part::extent).iterator());
        for (Part part : parts) {
            writing(part.file(), fd -> {
                write(part.file(), part.extent(), fd);
                if (part.file().partDone()) {
                    finish(part.file(), fd);
                }
            });
        }
    }

    /** A step of writing a file. */
    private interface FileStep {
        void run(Fd fd) throws IOException;
    }

    private void writing(RestoredFile file, FileStep step) throws IOException {
        if (file.hasFailed()) {
            return;
        }
        try {
            Fd fd = open.get(file);
            if (fd == null) {
                fd = file.open(root);
                keepOpen(file, fd);
            }
            step.run(fd);
        } catch (ErrnoException e) {
            file.fail();
            fault(file.place(), e);
        }
    }

    private void keepOpen(RestoredFile file, Fd fd) {
        if (open.size() == MAX_OPEN_FILES) {
            RestoredFile eldest = open.keySet().iterator().next();
            open.remove(eldest).close();
        }
        open.put(file, fd);
    }

    private void write(RestoredFile file, LogRecord.Extent extent, Fd fd) throws IOException {
        long length = file.version().length(); // an object may hold more than a version had at an earlier moment
        reader.readPieces(extent, new VersionReader.PieceVisitor() {
            @Override
            public void good(long position, MemorySegment bytes) throws IOException {
                long wanted = Math.min(bytes.byteSize(), length - position);
                if (wanted > 0) {
                    fd.pwriteFully(bytes, 0, wanted, position - file.version().startPosition());
                    counter.bytes(wanted);
                }
            }

            @Override
            public void damaged(long start, long damagedEnd, CorruptArchiveException cause) {
                long end = Math.min(damagedEnd, length);
                if (end <= start) {
                    return;
                }
                String what = "bytes " + start + " to " + end + " are not restored: " + cause.getMessage();
                counter.fault(file.place().toString(), what);
            }
        });
    }

    private void finish(RestoredFile file, Fd fd) throws IOException {
        fd.truncate(file.version().length() - file.version().startPosition());
        attributes.set(fd, file.place(), file.version().attributes());
        open.remove(file);
        fd.close();
        counter.file(file.version());
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
    void finishDirectories(Map<Pathname, Attributes> deepestFirst) throws IOException {
        for (Map.Entry<Pathname, Attributes> each : deepestFirst.entrySet()) {
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
        open.values().forEach(Fd::close);
    }
}
