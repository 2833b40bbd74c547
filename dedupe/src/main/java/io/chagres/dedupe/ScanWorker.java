package io.chagres.dedupe;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import org.jspecify.annotations.Nullable;

/** Lists directories, one in each step. Several may work at once, each used by one thread at a time. */
final class ScanWorker implements DedupeWorker {
    private static final int FLAGS = Fd.O_RDONLY | Fd.O_DIRECTORY | Fd.O_NOFOLLOW;

    private final Scan scan;
    private final RunContext context;
    private final FoundFiles table;
    private final DedupeOptions options;
    private final Statx stat = new Statx();
    private final FileBatch batch = new FileBatch();

    ScanWorker(Scan scan, RunContext context) {
        this.scan = scan;
        this.context = context;
        table = context.table();
        options = context.options();
    }

    @Override
    public boolean step() {
        if (context.stopped().getAsBoolean()) {
            return false;
        }
        ScannedFolder folder = scan.take();
        if (folder == null) {
            return false;
        }
        try {
            list(folder);
        } finally {
            scan.done();
        }
        return true;
    }

    private void list(ScannedFolder folder) {
        Pathname path = folder.relative().length() == 0 ? Pathname.of(".") : folder.relative();
        int fd = Fd.tryOpenBeneath(folder.root().fd(), path, FLAGS, 0);
        if (fd < 0) {
            scan.skip(folder.path(), fd);
            return;
        }
        context.totals().add(Count.DIRECTORIES, 1);
        try (Directory directory = Directory.of(Fd.ofValue(fd))) {
            list(folder, directory);
        } catch (ErrnoException e) {
            scan.skip(folder.path(), -e.errno());
        }
    }

    private void list(ScannedFolder folder, Directory directory) throws ErrnoException {
        int number = -1;
        ScannedFolder.Device numbered = folder.device();
        while (directory.next()) {
            int type = directory.type();
            boolean perhaps = type == Directory.DT_REG || type == Directory.DT_DIR || type == Directory.DT_UNKNOWN;
            if (!perhaps || directory.stat(stat) != 0) {
                continue;
            }
            if (stat.isDirectory()) {
                enter(folder, directory);
            } else if (stat.isRegular() && stat.size() >= options.minSizeBytes() && wanted(folder, directory)) {
                // On overlayfs the files of a directory may be of several devices.
                if (number < 0 || stat.dev() != numbered.number()) {
                    scan.flush(number, batch);
                    numbered = table.device(stat.dev(), directory.fd().value());
                    number = table.add(new ScannedFolder(folder.root(), folder.relative(), numbered));
                }
                batch.add(
                        directory.nameSegment(),
                        directory.nameOffset(),
                        directory.nameLength(),
                        stat.size(),
                        stat.ino());
                scan.remember(batch, numbered, stat);
                if (batch.isFull()) {
                    scan.flush(number, batch);
                }
            }
        }
        scan.flush(number, batch);
    }

    private boolean wanted(ScannedFolder folder, Directory directory) {
        return !options.hasGlobs() || options.wants(folder.path().resolve(directory.name()));
    }

    private void enter(ScannedFolder folder, Directory directory) {
        ScannedFolder.Device device = folder.device();
        if (stat.dev() != device.number() && options.oneFileSystem()) {
            return;
        }
        Pathname relative = folder.below(directory.name());
        if (!options.excludes().isEmpty()
                && options.excludesDirectory(folder.root().path().resolve(relative))) {
            return;
        }
        ScannedFolder.Device its = stat.dev() == device.number() ? device : deviceOf(folder.root(), relative);
        if (its != null) {
            scan.put(new ScannedFolder(folder.root(), relative, its));
        }
    }

    private ScannedFolder.@Nullable Device deviceOf(ScannedFolder.Root root, Pathname relative) {
        int fd = Fd.tryOpenBeneath(root.fd(), relative, FLAGS, 0);
        if (fd < 0) {
            scan.skip(root.path().resolve(relative), fd);
            return null;
        }
        try (Fd inside = Fd.ofValue(fd)) {
            // A mount point may have got another file system since it was listed.
            return stat.of(fd) == 0 ? table.device(stat.dev(), inside.value()) : null;
        }
    }

    @Override
    public void close() {
        stat.close();
    }
}
