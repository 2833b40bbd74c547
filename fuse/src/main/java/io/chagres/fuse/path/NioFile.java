package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The content of an open file, one for all who have it open.
 *
 * <p>Files of this machine are read and written in place. Few other providers can write in the middle of a file, or
 * read what was removed: there a file that is written, or removed while it is open, is copied into a temporary one,
 * which is copied back when it is committed. Safe for any thread; each operation holds the lock.
 */
final class NioFile {
    private static final long NS = 1_000_000_000L;

    /** The JDK's zip file system reads whole files into the heap. */
    private static final long MAX_HEAP_BYTES = 16L << 20;

    private final Clock clock;

    /** The attributes known of the file, for when it no longer has a name. */
    private final Attributes last = new Attributes();

    private @Nullable SeekableByteChannel channel;
    private @Nullable FileChannel temporary;
    private boolean local;
    private boolean writable;
    private boolean dirty;
    private boolean nameless;
    private boolean ended;
    private int users;

    NioFile(Clock clock) {
        this.clock = clock;
    }

    /**
     * Opens it once more.
     *
     * @param known what it is now, copied
     * @return false if its last use ended before: it is of no use then
     */
    synchronized boolean open(Path path, boolean writes, Attributes known) throws IOException {
        if (ended) {
            return false;
        }
        local = path.getFileSystem().equals(FileSystems.getDefault());
        last.set(known);
        if (writes && !writable) {
            openToWrite(path);
        } else if (channel == null && temporary == null) {
            if (known.size() > MAX_HEAP_BYTES && isZip(path)) {
                copy(path);
            } else {
                channel = Files.newByteChannel(path, StandardOpenOption.READ);
            }
        }
        users++;
        return true;
    }

    static boolean isZip(Path path) {
        return path.getFileSystem().provider().getScheme().equals("jar");
    }

    /** Says whether it is open so that it can be written. */
    synchronized boolean isWritable() {
        return !ended && (writable || temporary != null);
    }

    private void openToWrite(Path path) throws IOException {
        if (local) {
            FileChannel opened = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            closeChannel();
            channel = opened;
        } else if (temporary == null) {
            copy(path);
        }
        writable = true;
    }

    /** Continues with a copy. */
    private void copy(Path path) throws IOException {
        FileChannel copy = FileChannel.open(
                Files.createTempFile("chagres-nio", ".tmp"),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
        try (InputStream content = Files.newInputStream(path)) {
            content.transferTo(Channels.newOutputStream(copy));
            temporary = copy;
        } finally {
            if (temporary == null) {
                copy.close();
            }
        }
        closeChannel();
    }

    /** Prepares for the loss of the name. */
    synchronized void beforeRemoval(Path path) throws IOException {
        if (local) {
            last.nlink((int) Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS));
        } else if (temporary == null) {
            copy(path);
        }
    }

    /** Says that the name is lost: nothing is copied back from now on. */
    synchronized void removed() {
        nameless = true;
        last.nlink(Math.max(0, last.nlink() - 1));
    }

    /**
     * Ends one use; with the last one, uncommitted content is lost.
     *
     * @return true if it is ended
     */
    synchronized boolean release() throws IOException {
        users--;
        return closeIfUnused();
    }

    /**
     * Closes everything if nobody has it open.
     *
     * @return true if it is ended
     */
    synchronized boolean closeIfUnused() throws IOException {
        if (users > 0) {
            return false;
        }
        ended = true;
        closeChannel();
        if (temporary != null) {
            temporary.close();
            temporary = null;
        }
        return true;
    }

    private void closeChannel() throws IOException {
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }

    /** Fills a buffer up to the end of the file. */
    synchronized void read(ByteBuffer buffer, long position) throws IOException {
        SeekableByteChannel from = content();
        from.position(position);
        int read = 0;
        while (read >= 0 && buffer.hasRemaining()) {
            read = from.read(buffer);
        }
    }

    synchronized void write(ByteBuffer data, long position) throws IOException {
        SeekableByteChannel to = content();
        changed();
        to.position(position);
        while (data.hasRemaining()) {
            to.write(data);
        }
    }

    /** Sets the size; a longer file ends in zeros. */
    synchronized void truncate(long size) throws IOException {
        SeekableByteChannel to = content();
        changed();
        if (size < to.size()) {
            to.truncate(size);
        } else if (size > to.size()) {
            to.position(size - 1);
            to.write(ByteBuffer.allocate(1));
        }
    }

    private void changed() {
        dirty = true;
        last.mtimeNs(Math.multiplyExact(clock.millis(), NS / 1000)).ctimeNs(last.mtimeNs());
    }

    /**
     * Copies the written content back to its provider.
     *
     * @param path the name, or null if it has none now
     */
    synchronized void commit(@Nullable Path path) throws IOException {
        if (path == null || nameless || local || !dirty) {
            return;
        }
        FileChannel from = Objects.requireNonNull(temporary);
        from.position(0);
        try (OutputStream to =
                Files.newOutputStream(path, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            Channels.newInputStream(from).transferTo(to);
        }
        dirty = false;
    }

    /** Waits until it is safe, as far as the provider can. */
    synchronized void force(@Nullable Path path, boolean dataOnly) throws IOException {
        commit(path);
        if (channel instanceof FileChannel file && writable) {
            file.force(!dataOnly);
        }
    }

    /** Corrects the provider's attributes of a file that is not copied back yet, and remembers them. */
    synchronized void correct(Attributes attributes) throws IOException {
        if (dirty && temporary != null) {
            attributes.size(temporary.size()).mtimeNs(last.mtimeNs()).ctimeNs(last.ctimeNs());
        }
        last.set(attributes);
    }

    /** Reads the attributes of a file without a name. Returns false if it is closed: nobody asks for it then. */
    synchronized boolean fillNameless(Attributes attributes) throws IOException {
        if (ended) {
            return false;
        }
        attributes.set(last).size(content().size());
        return true;
    }

    /**
     * Writes what another process needs to open it as it is here; copies it back first.
     *
     * @param path the name, or null if it has none now
     * @param copies gets the file that the content was copied to, if it has no name
     * @throws IOException EBUSY if it has no name here and others elsewhere: a copy would be another file
     */
    synchronized void write(@Nullable Path path, List<Path> copies, StateWriter to) throws IOException {
        boolean named = path != null && !nameless;
        if (!named && local && last.nlink() > 0) {
            throw new ErrnoException("hand over", Errno.EBUSY, "a file that is open and was moved, or has other names");
        }
        to.number(users);
        to.flag(writable);
        to.attributes(last);
        to.flag(named);
        if (named) {
            commit(path);
        } else {
            Path copy = Files.createTempFile("chagres-handover", ".tmp");
            copies.add(copy);
            SeekableByteChannel from = content();
            from.position(0);
            try (OutputStream content = Files.newOutputStream(copy)) {
                Channels.newInputStream(from).transferTo(content);
            }
            to.text(copy.toString());
        }
    }

    /**
     * Opens what was written, if nothing is open here yet.
     *
     * @param path the name, or null if it has none now
     * @param copies gets the file that the content was copied to, if it has no name
     */
    synchronized void read(@Nullable Path path, List<Path> copies, StateReader from) throws IOException {
        int count = from.count();
        boolean writes = from.flag();
        Attributes known = from.attributes();
        if (from.flag()) {
            if (path == null) {
                throw StateReader.malformed("damaged: a name is missing");
            }
            open(path, writes, known);
        } else {
            Path copy = Path.of(from.text());
            temporary = FileChannel.open(copy, StandardOpenOption.READ, StandardOpenOption.WRITE);
            copies.add(copy);
            last.set(known);
            writable = writes;
            nameless = true;
        }
        users = count;
    }

    /** Ends all uses. */
    synchronized void end() throws IOException {
        users = 0;
        closeIfUnused();
    }

    private SeekableByteChannel content() throws NoSuchFileException {
        SeekableByteChannel content = temporary == null ? channel : temporary;
        if (content == null) {
            throw new NoSuchFileException("a closed file");
        }
        return content;
    }
}
