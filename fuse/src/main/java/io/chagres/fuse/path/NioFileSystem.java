package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.CreateReply;
import io.chagres.fuse.DirectoryPlusReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseConnection;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.LinkTargetReply;
import io.chagres.fuse.Name;
import io.chagres.fuse.Notifier;
import io.chagres.fuse.OpenReply;
import io.chagres.fuse.Payload;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Reply;
import io.chagres.fuse.Request;
import io.chagres.fuse.StatfsReply;
import io.chagres.fuse.TransferableFileSystem;
import io.chagres.fuse.WriteReply;
import io.chagres.fuse.XattrNamesReply;
import io.chagres.fuse.XattrReply;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A directory of any {@link FileSystem}, such as a zip file, one in memory or a store of objects, read and written as
 * far as its provider can.
 *
 * <p>Files of this machine are used in place. Of other providers a file that is written is a temporary file until it is
 * closed or synced, when it is copied back: errors of that are errors of close(2) and fsync(2). A file that is removed
 * while it is open lives on, there as a temporary file. Directories of zip files are not renamed (EXDEV, so that mv(1)
 * copies them), and a zip file as a whole is written when its FileSystem is closed.
 *
 * <p>Node numbers are st_ino where the provider has view {@code unix}; others get numbers that stay until the file is
 * removed or this is unmounted, which takes memory for every file that was looked up. Without view {@code posix} files
 * belong to the user who mounts, and have mode 0644, directories 0755. Extended attributes are those of view {@code
 * user}.
 *
 * <p>java.nio.file has characters where Linux has bytes, and no word for much of what Linux can. For a directory of
 * this machine that is to be mirrored whole there is {@link io.chagres.fuse.loopback.LoopbackFileSystem}. The limits of
 * this one: FIFOs, sockets and devices are shown and not made; there are no locks, no holes, no space taken ahead, no
 * exchange of names; a file that is replaced while some read it is ESTALE to a program that found it before and opens
 * it to write then, unless the kernel finds the new one when it looks again; lists say no node numbers; a directory
 * that was replaced while it is open says how many links it had; names that NFS has stay right while the kernel knows
 * the file; targets of symbolic links lose double slashes. A name or a target of a link that characters cannot say (in
 * the charset {@code sun.jnu.encoding}, which LC_ALL decides) is an error and never another name: the list that has it
 * ends with EILSEQ, behind all other names.
 *
 * <p>Names that are not UTF-8, or that the provider cannot have, get EILSEQ; operations that it does not support get
 * EOPNOTSUPP; exceptions of java.nio.file the errno of their names; other IOExceptions EIO, unless they say in the
 * words of strerror(3) which it is. Safe for any thread. Requests allocate.
 *
 * <p>It can be handed over ({@link io.chagres.fuse.FuseServer#handOver}) to one of the same directory in a process that
 * may open the same files; a FileSystem that is written when it is closed, such as a zip file, is closed in between.
 * EBUSY where a file is open that was moved behind the mount, or removed there while it has other names.
 */
public final class NioFileSystem implements TransferableFileSystem {
    /** The kind and version of the state that is handed over. */
    private static final long KIND = 0x4348_464e_494f_0001L;

    private static final int O_ACCMODE = 3;
    private static final int OWNER_READS_AND_WRITES = 0600;

    private final Path root;
    private final Clock clock;
    private final long timeoutNs;
    private final boolean local;
    private final NioAttributes attributes;
    private final PathTable table;
    private final Listings listings = new Listings();
    private final NioOpenFiles files;

    private final NioPaths paths;
    private final PathAnswers answers;

    /**
     * Takes a directory.
     *
     * @param root a directory of any provider; its FileSystem is closed by the caller, after unmounting
     * @param clock the clock for the times of changes
     * @param timeoutNs how long the kernel may believe names and attributes, nanoseconds; 0 where they change by others
     * @throws IOException if the provider cannot be asked
     */
    public NioFileSystem(Path root, Clock clock, long timeoutNs) throws IOException {
        this.root = root.toAbsolutePath();
        this.clock = clock;
        this.timeoutNs = timeoutNs;
        local = root.getFileSystem().equals(FileSystems.getDefault());
        attributes = new NioAttributes(root.getFileSystem());
        table = new PathTable(!attributes.haveNumbers());
        paths = new NioPaths(this.root, table);
        files = new NioOpenFiles(paths, clock);
        answers = new PathAnswers(table, true);
    }

    /**
     * Takes a whole file system, from its first root directory on.
     *
     * @param fileSystem closed by the caller, after unmounting
     * @param clock the clock for the times of changes
     * @param timeoutNs how long the kernel may believe names and attributes, nanoseconds; 0 where they change by others
     * @throws IOException if the provider cannot be asked
     */
    public NioFileSystem(FileSystem fileSystem, Clock clock, long timeoutNs) throws IOException {
        this(fileSystem.getRootDirectories().iterator().next(), clock, timeoutNs);
    }

    /**
     * Returns how to mount it.
     *
     * @return defaults, read-only if the FileSystem says it is, named after its provider; lists bring attributes along
     *     where they may be believed
     */
    public FuseOptions options() {
        FileSystem fileSystem = root.getFileSystem();
        FuseOptions options =
                FuseOptions.DEFAULTS.withName(fileSystem.provider().getScheme()).withReadOnly(fileSystem.isReadOnly());
        // Attributes that the kernel may not believe it would ask for again.
        return timeoutNs == 0 ? options : options.with(FuseFeature.READDIRPLUS, FuseFeature.READDIRPLUS_AUTO);
    }

    /**
     * Returns the path of a node.
     *
     * @param node a number that the kernel knows
     * @return from the root of the mount on, or empty if it no longer has a name
     */
    public String pathOf(long node) {
        return table.pathIfAny(node);
    }

    /** Files that are still open are copied back and closed. */
    @Override
    public void destroy() {
        files.closeAll();
    }

    /** Copies open files without a name into temporary files, with which the next server continues. */
    @Override
    public byte[] handOver() throws IOException {
        StateWriter to = new StateWriter(KIND);
        table.write(to);
        listings.write(to);
        files.handOver(to, this::isNamed);
        return to.written();
    }

    @Override
    public void takeOver(FuseConnection connection, Notifier notifier, byte[] state) throws IOException {
        StateReader from = new StateReader(state, KIND);
        table.read(from);
        listings.read(from);
        files.takeOver(from);
    }

    /** Returns whether a path leads to a node, and not to a file that others put there. */
    private boolean isNamed(long node) throws IOException {
        Path path = paths.pathIfAny(node);
        try {
            return path != null && Objects.equals(table.file(node), attributes.identity(attributes.read(path)));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        answers.using(reply, parent, name, file -> entry(parent, file, reply));
    }

    @Override
    public void forget(long node, long lookups) {
        table.forget(node, lookups);
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        answers.using(reply, node, () -> {
            reply.attributes(attributes(node, reply.attributes()));
        });
    }

    @Override
    public void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        answers.using(reply, node, () -> {
            if (change.hasSize()) {
                truncate(node, change.size());
            }
            if (change.hasMode() || change.hasUid() || change.hasGid() || change.hasAtime() || change.hasMtime()) {
                NioFile file = files.ifOpen(node);
                if (file != null) {
                    file.commit(paths.pathIfAny(node)); // what comes later would change the time again
                }
                attributes.change(paths.path(node), change, nowNs());
            }
            reply.attributes(attributes(node, reply.attributes()));
        });
    }

    private void truncate(long node, long size) throws IOException {
        NioFile file = files.ifOpen(node);
        if (file != null && file.isWritable() && paths.pathIfAny(node) == null) {
            file.truncate(size);
            return;
        }
        open(node, true);
        try {
            files.of(node).truncate(size);
        } finally {
            files.close(node);
        }
    }

    @Override
    public void readlink(Request request, long node, LinkTargetReply reply) {
        answers.using(reply, node, () -> {
            reply.target(paths.target(node));
        });
    }

    @Override
    public void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        answers.using(reply, parent, name, link -> {
            Path path = paths.path(parent, link);
            Files.createSymbolicLink(path, path.getFileSystem().getPath(target.decoded()));
            attributes.created(path, 0777, request);
            entry(parent, link, reply);
        });
    }

    @Override
    public void mknod(Request request, long parent, Name name, int mode, int device, EntryReply reply) {
        answers.using(reply, parent, name, file -> {
            if ((mode & Statx.S_IFMT) != Statx.S_IFREG) {
                reply.error(Errno.EPERM); // the file system does not support this type
                return;
            }
            create(paths.path(parent, file), mode, request);
            entry(parent, file, reply);
        });
    }

    @Override
    public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        answers.using(reply, parent, name, directory -> {
            Path path = paths.path(parent, directory);
            Files.createDirectory(path, attributes.atCreation(mode));
            attributes.created(path, mode, request);
            entry(parent, directory, reply);
        });
    }

    private void create(Path path, int mode, Request request) throws IOException {
        Files.createFile(path, attributes.atCreation(mode));
        attributes.created(path, mode, request);
    }

    @Override
    public void unlink(Request request, long parent, Name name, EmptyReply reply) {
        remove(parent, name, reply);
    }

    @Override
    public void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        remove(parent, name, reply);
    }

    private void remove(long parent, Name name, EmptyReply reply) {
        answers.using(reply, names -> {
            String removed = name.decoded();
            names.change(parent, removed);
            Path path = paths.path(parent, removed);
            NioFile file = openAt(parent, removed);
            if (file != null) {
                file.beforeRemoval(path);
            }
            Files.delete(path);
            if (file != null) {
                file.removed();
            }
            table.removed(parent, removed);
            reply.done();
        });
    }

    @Override
    public void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        answers.using(reply, names -> {
            String from = name.decoded();
            String to = newName.decoded();
            names.change(parent, from, newParent, to);
            Path source = paths.path(parent, from);
            Path target = paths.path(newParent, to);
            int refusal = attributes.refusal(source, target, flags);
            if (refusal != 0) {
                reply.error(refusal);
                return;
            }
            NioFile replaced = openAt(newParent, to);
            if (replaced != null) {
                replaced.beforeRemoval(target);
            }
            NioFile moved = openAt(parent, from);
            if (moved != null) {
                moved.commit(source);
            }
            Files.move(source, target, local ? StandardCopyOption.ATOMIC_MOVE : StandardCopyOption.REPLACE_EXISTING);
            if (replaced != null) {
                replaced.removed();
            }
            table.renamed(parent, from, newParent, to);
            reply.done();
        });
    }

    private @Nullable NioFile openAt(long parent, String name) throws ErrnoException {
        long node = table.known(parent, name);
        return node == 0 ? null : files.ifOpen(node);
    }

    @Override
    public void link(Request request, long node, long newParent, Name newName, EntryReply reply) {
        answers.using(reply, names -> {
            String link = newName.decoded();
            names.use(node, newParent, link);
            Files.createLink(paths.path(newParent, link), paths.path(node));
            entry(newParent, link, reply);
        });
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        answers.using(reply, node, () -> {
            boolean replaced = table.isReplaced(node);
            open(node, (flags & O_ACCMODE) != 0);
            // The kernel's cache of a replaced node belongs to another file.
            reply.opened(0, replaced ? OpenReply.DIRECT_IO : 0);
        });
    }

    @Override
    public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        answers.using(reply, parent, name, file -> {
            Path path = paths.path(parent, file);
            Files.createFile(path, attributes.atCreation(mode | OWNER_READS_AND_WRITES)); // it is opened by name
            NioAttributes.Values values = attributes.read(path);
            long node = table.lookedUp(parent, file, attributes.identity(values));
            boolean open = false;
            boolean done = false;
            try {
                open(node, (flags & O_ACCMODE) != 0);
                open = true;
                attributes.created(path, mode, request);
                done = true;
            } finally {
                if (!done) {
                    table.forget(node, 1);
                }
                if (open && !done) {
                    files.close(node);
                }
            }
            reply.created(node, attributes(node, reply.attributes()), 0, 0);
        });
    }

    private void open(long node, boolean writes) throws IOException {
        Path path = paths.path(node);
        if (writes && path.getFileSystem().isReadOnly()) {
            throw new ReadOnlyFileSystemException();
        }
        NioFile open = files.ifOpen(node);
        // The path leads to another file, which cannot be copied back, or is not what others have open by this node.
        if (writes && table.isReplaced(node) && (!local || (open != null && !open.isWritable()))) {
            throw NioOpenFiles.stale(node);
        }
        files.open(node, path, writes, attributes(node, new Attributes()));
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        answers.answer(reply, () -> {
            ByteBuffer buffer = reply.buffer()
                    .asSlice(reply.offset(), Math.min(size, reply.capacity()))
                    .asByteBuffer();
            files.of(node).read(buffer, position);
            reply.filled(buffer.position());
        });
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        answers.answer(reply, () -> {
            ByteBuffer buffer =
                    data.segment().asSlice(data.offset(), data.length()).asByteBuffer();
            files.of(node).write(buffer.asReadOnlyBuffer(), position);
            reply.written(data.length());
        });
    }

    @Override
    public void flush(Request request, long node, long handle, long lockOwner, EmptyReply reply) {
        answers.using(reply, node, () -> {
            NioFile file = files.ifOpen(node);
            if (file != null) {
                file.commit(paths.pathIfAny(node));
            }
            reply.done();
        });
    }

    @Override
    public void release(Request request, long node, long handle, int flags, int releaseFlags, EmptyReply reply) {
        answers.using(reply, node, () -> {
            files.close(node);
            reply.done();
        });
    }

    @Override
    public void fsync(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        answers.using(reply, node, () -> {
            files.of(node).force(paths.pathIfAny(node), dataOnly);
            reply.done();
        });
    }

    @Override
    public void opendir(Request request, long node, int flags, OpenReply reply) {
        reply.opened(listings.open(), 0);
    }

    @Override
    public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        answers.answer(reply, () -> Listings.read(listed(node, handle, position), position, reply));
    }

    @Override
    public void readdirplus(Request request, long node, long handle, long position, DirectoryPlusReply reply) {
        answers.answer(
                reply,
                () -> Listings.readPlus(listed(node, handle, position), position, reply, (entry, next) -> {
                    try (HeldNames names = new HeldNames(table)) {
                        names.use(node, entry.name());
                        return add(node, entry, next, reply);
                    } catch (IOException e) {
                        return reply.add(entry.bytes(), 0, reply.attributes(), next); // looking it up will say so
                    }
                }));
    }

    private DirectoryListing listed(long node, long handle, long position) throws IOException {
        return listings.of(handle, position, () -> {
            try (HeldNames names = new HeldNames(table)) {
                names.use(node);
                return paths.list(node);
            }
        });
    }

    private boolean add(long parent, DirectoryListing.Entry entry, long next, DirectoryPlusReply reply)
            throws IOException {
        NioAttributes.Values values = attributes.read(paths.path(parent, entry.name()));
        long child = table.lookedUp(parent, entry.name(), attributes.identity(values));
        boolean fits = reply.add(entry.bytes(), child, filled(child, values, reply.attributes()), next);
        if (!fits) {
            table.forget(child, 1);
        }
        return fits;
    }

    @Override
    public void fsyncdir(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        answers.using(reply, node, () -> {
            if (local) {
                try (FileChannel directory = FileChannel.open(paths.path(node), StandardOpenOption.READ)) {
                    directory.force(true); // the JDK opens directories to read, and fsync(2) takes them
                }
            }
            reply.done();
        });
    }

    @Override
    public void releasedir(Request request, long node, long handle, int flags, EmptyReply reply) {
        listings.close(handle);
        reply.done();
    }

    @Override
    public void statfs(Request request, long node, StatfsReply reply) {
        answers.answer(reply, () -> {
            FileStore store = Files.getFileStore(root);
            int block = 4096;
            reply.statfs(block, store.getTotalSpace() / block, store.getUsableSpace() / block, 0, 0, 255);
        });
    }

    @Override
    public void getxattr(Request request, long node, Name name, int size, XattrReply reply) {
        xattr(reply, node, () -> NioXattrs.get(paths.path(node), name.decoded(), reply));
    }

    @Override
    public void listxattr(Request request, long node, int size, XattrNamesReply reply) {
        xattr(reply, node, () -> NioXattrs.list(paths.path(node), reply));
    }

    @Override
    public void setxattr(Request request, long node, Name name, Payload value, int flags, EmptyReply reply) {
        xattr(reply, node, () -> NioXattrs.set(paths.path(node), name.decoded(), value.bytes(), flags, reply));
    }

    @Override
    public void removexattr(Request request, long node, Name name, EmptyReply reply) {
        xattr(reply, node, () -> NioXattrs.remove(paths.path(node), name.decoded(), reply));
    }

    private void xattr(Reply reply, long node, PathAnswers.Work work) {
        if (NioXattrs.supports(root)) {
            answers.using(reply, node, work);
        } else {
            reply.error(Errno.ENOSYS);
        }
    }

    private void entry(long parent, String name, EntryReply reply) throws IOException {
        NioAttributes.Values values = attributes.read(paths.path(parent, name));
        long node = table.lookedUp(parent, name, attributes.identity(values));
        reply.entry(node, filled(node, values, reply.attributes()));
    }

    /** Fills in the attributes of a node, also when it has lost its name, or its name has become another file's. */
    private Attributes attributes(long node, Attributes to) throws IOException {
        NioFile open = files.ifOpen(node);
        if (open != null && paths.pathIfAny(node) == null && open.fillNameless(to)) {
            return to;
        }
        NioAttributes.Values values = attributes.read(paths.path(node));
        boolean same = node == ROOT || Objects.equals(table.file(node), attributes.identity(values));
        if (same || table.isReplaced(node)) {
            return filled(node, values, to);
        }
        if (!files.of(node).fillNameless(to)) {
            throw NioOpenFiles.stale(node);
        }
        return to;
    }

    private Attributes filled(long node, NioAttributes.Values values, Attributes to) throws IOException {
        attributes.fill(values, to).timeoutsNs(timeoutNs);
        NioFile file = files.ifOpen(node);
        if (file != null) {
            file.correct(to);
        }
        return to;
    }

    private long nowNs() {
        Instant now = clock.instant();
        return Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
    }
}
