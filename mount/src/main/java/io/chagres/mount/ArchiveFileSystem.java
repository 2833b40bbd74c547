package io.chagres.mount;

import io.chagres.archive.state.FileVersion;
import io.chagres.foreign.Errno;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.DirectoryPlusReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseConnection;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.LinkTargetReply;
import io.chagres.fuse.LseekReply;
import io.chagres.fuse.Name;
import io.chagres.fuse.Notifier;
import io.chagres.fuse.OpenReply;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Reply;
import io.chagres.fuse.Request;
import io.chagres.fuse.StatfsReply;
import io.chagres.fuse.XattrReply;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers the kernel from names and blocks. What needs the store is answered later by another thread, so
 * that nothing else waits for it. Safe for any thread.
 */
final class ArchiveFileSystem implements FuseFileSystem {
    private static final int SEEK_HOLE = 4;

    private final MountContext context;
    private final Hosts hosts;
    private final NodeTable nodes;
    private final BlockReads reads;
    private final ReadRetries patience;
    private final Map<Long, OpenFolder> openFolders = new ConcurrentHashMap<>();
    private final AtomicLong lastHandle = new AtomicLong();
    private final Runnable atEnd;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicReference<String> lastFailure = new AtomicReference<>("");
    private volatile @Nullable Notifier notifier;
    private volatile boolean noOpen;

    /**
     * Makes a file system that is not mounted yet.
     *
     * @param atEnd runs once the kernel no longer asks
     */
    ArchiveFileSystem(
            MountContext context,
            Hosts hosts,
            NodeTable nodes,
            BlockReads reads,
            ReadRetries patience,
            Runnable atEnd) {
        this.context = context;
        this.hosts = hosts;
        this.nodes = nodes;
        this.reads = reads;
        this.patience = patience;
        this.atEnd = atEnd;
    }

    @Override
    public void init(FuseConnection connection, Notifier made) {
        noOpen = connection.features().contains(FuseFeature.NO_OPEN);
        notifier = made;
    }

    @Override
    public void destroy() {
        ended.set(true);
        atEnd.run();
    }

    /** Returns the notifier of the kernel; null before the mount. */
    @Nullable
    Notifier notifier() {
        return notifier;
    }

    /** Says whether it was unmounted. */
    boolean isEnded() {
        return ended.get();
    }

    /** Runs a step on a directory, at once or when it is loaded. */
    private void inFolder(long number, Reply reply, Consumer<Folder> step) {
        if (!(nodes.get(number) instanceof Folder folder)) {
            reply.error(FileNumbers.isFile(number) ? Errno.ENOTDIR : Errno.ESTALE);
            return;
        }
        if (folder.isReady()) {
            locked(folder, step);
            return;
        }
        reply.defer();
        try {
            context.threads().execute(() -> loadedFirst(folder, reply, step));
        } catch (RejectedExecutionException e) {
            reply.error(Errno.EIO);
        }
    }

    private static void locked(Folder folder, Consumer<Folder> step) {
        Lock lock = folder.lock();
        lock.lock();
        try {
            step.accept(folder);
        } finally {
            lock.unlock();
        }
    }

    private void loadedFirst(Folder folder, Reply reply, Consumer<Folder> step) {
        boolean answered = false;
        try {
            patience.ask(patience.deadlineMs(), () -> {
                folder.load();
                return folder;
            });
            locked(folder, step);
            answered = true; // the reply may serve the next request already
        } catch (IOException e) {
            String host =
                    folder instanceof TreeFolder tree ? tree.host().owner().title() : "a host";
            String sentence = host + " cannot be shown: " + e.getMessage();
            if (!sentence.equals(lastFailure.getAndSet(sentence))) {
                context.listener().message(sentence);
            }
        } finally {
            if (!answered) {
                reply.error(Errno.EIO);
            }
        }
    }

    /** Returns what a function gives for the version of a number, under its host's lock; null without a version. */
    private <T> @Nullable T ofFile(long number, Function<FileTarget, T> step) {
        HostTree host = hosts.ofFile(number);
        if (host == null || !host.isLoaded()) {
            return null;
        }
        Lock lock = host.readLock();
        lock.lock();
        try {
            FileVersion version = host.state().version(FileNumbers.version(number));
            return version == null ? null : step.apply(new FileTarget(host, version));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        inFolder(parent, reply, folder -> {
            Target target = folder.find(name.pathname());
            if (target == null) {
                reply.missing(folder.missingTimeoutNs());
                return;
            }
            Attributes attributes = reply.attributes();
            target.fill(attributes);
            reply.entry(target.number(), attributes);
        });
    }

    @Override
    public void forget(long node, long lookups) {
        nodes.forget(node, lookups);
    }

    @Override
    public void getattr(Request request, long number, long handle, AttributesReply reply) {
        if (FileNumbers.isFile(number)) {
            Boolean answered = ofFile(number, file -> {
                answer(file, reply);
                return true;
            });
            if (answered == null) {
                reply.error(Errno.ESTALE);
            }
            return;
        }
        Node node = nodes.get(number);
        if (node == null) {
            reply.error(Errno.ESTALE);
            return;
        }
        Lock lock = node.lock();
        lock.lock();
        try {
            answer(node, reply);
        } finally {
            lock.unlock();
        }
    }

    private static void answer(Target target, AttributesReply reply) {
        Attributes attributes = reply.attributes();
        target.fill(attributes);
        reply.attributes(attributes);
    }

    @Override
    public void readlink(Request request, long number, LinkTargetReply reply) {
        if (!(nodes.get(number) instanceof LinkNode link)) {
            reply.error(Errno.EINVAL);
            return;
        }
        Lock lock = link.lock();
        lock.lock();
        try {
            if (link.target().length() == 0) {
                reply.error(Errno.EIO);
            } else {
                reply.target(link.target().bytes());
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        if (noOpen) {
            reply.error(Errno.ENOSYS);
        } else {
            reply.opened(0, OpenReply.KEEP_CACHE);
        }
    }

    @Override
    public void read(Request request, long number, long handle, long position, int size, int flags, ReadReply reply) {
        HostTree host = hosts.ofFile(number);
        HostTree.VersionRange span = host == null || !host.isLoaded() ? null : host.span(FileNumbers.version(number));
        if (host == null || span == null) {
            reply.error(Errno.ESTALE);
            return;
        }
        long left = span.end() - span.start() - position;
        if (left <= 0) {
            reply.filled(0);
            return;
        }
        long start = span.start() + position;
        long end = start + Math.min(reply.capacity(), left);
        long version = FileNumbers.version(number);
        reads.read(new PendingRead(host, version, start, end, reply, patience.deadlineMs()), span.end());
    }

    @Override
    public void lseek(Request request, long number, long handle, long position, int whence, LseekReply reply) {
        Long found = ofFile(number, file -> file.seek(position, whence == SEEK_HOLE));
        if (found == null) {
            reply.error(Errno.ESTALE);
        } else if (found < 0) {
            reply.error(Errno.ENXIO);
        } else {
            reply.position(found);
        }
    }

    /** A large host is counted after a commit: nobody else waits for that. */
    @Override
    public void statfs(Request request, long number, StatfsReply reply) {
        if (hosts.isCounted()) {
            answer(hosts.usage(), reply);
            return;
        }
        reply.defer();
        try {
            context.threads().execute(() -> countedFirst(reply));
        } catch (RejectedExecutionException e) {
            reply.error(Errno.EIO);
        }
    }

    private void countedFirst(StatfsReply reply) {
        boolean answered = false;
        try {
            answer(hosts.usage(), reply);
            answered = true; // the reply may serve the next request already
        } finally {
            if (!answered) {
                reply.error(Errno.EIO);
            }
        }
    }

    private static void answer(HostTree.Usage usage, StatfsReply reply) {
        long blocks = (usage.bytes() + BlockCache.PAGE_BYTES - 1) / BlockCache.PAGE_BYTES;
        reply.statfs(BlockCache.PAGE_BYTES, blocks, 0, usage.files(), 0, TreeFolder.MAX_NAME_BYTES);
    }

    @Override
    public void flush(Request request, long node, long handle, long lockOwner, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    @Override
    public void opendir(Request request, long number, int flags, OpenReply reply) {
        inFolder(number, reply, folder -> {
            long handle = lastHandle.incrementAndGet();
            openFolders.put(handle, new OpenFolder(folder, nodes));
            reply.opened(handle, folder.isListCacheable() ? OpenReply.CACHE_DIR | OpenReply.KEEP_CACHE : 0);
        });
    }

    @Override
    public void readdir(Request request, long number, long handle, long position, DirectoryReply reply) {
        listing(number, handle, reply, open -> open.write(position, reply));
    }

    @Override
    public void readdirplus(Request request, long number, long handle, long position, DirectoryPlusReply reply) {
        listing(number, handle, reply, open -> open.write(position, reply));
    }

    private void listing(long number, long handle, Reply reply, Consumer<OpenFolder> step) {
        OpenFolder open = openFolders.get(handle);
        if (open == null) {
            reply.error(Errno.EBADF);
            return;
        }
        inFolder(number, reply, folder -> step.accept(open));
    }

    @Override
    public void releasedir(Request request, long number, long handle, int flags, EmptyReply reply) {
        openFolders.remove(handle);
        reply.done();
    }

    @Override
    public void getxattr(Request request, long number, Name name, int size, XattrReply reply) {
        String asked = name.toString();
        if (!asked.startsWith("user.")) {
            reply.error(Errno.EOPNOTSUPP); // the kernel and programs then do not ask for other files
            return;
        }
        byte[] value = FileNumbers.isFile(number) ? ofFile(number, file -> FileXattrs.value(file, asked)) : null;
        if (value == null) {
            reply.error(Errno.ENODATA);
        } else {
            reply.value(value);
        }
    }
}
