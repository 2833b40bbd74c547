package io.chagres.archive.store;

import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Stands before a writer, passes everything on and counts the bytes. Confined to one thread. */
class ForwardingWriter implements BlobWriter {
    /** The writer behind, closed with this one. */
    final BlobWriter behind;

    private long bytes;

    ForwardingWriter(BlobWriter behind) {
        this.behind = behind;
    }

    /** Returns how many bytes were appended. */
    final long bytes() {
        return bytes;
    }

    @Override
    public void write(MemorySegment source, long offset, long length) throws IOException {
        behind.write(source, offset, length);
        bytes += length;
    }

    @Override
    public boolean sharesBlocksWith(Fd source) {
        return behind.sharesBlocksWith(source);
    }

    @Override
    public long copyFrom(Fd source, long position, long length) throws IOException {
        long copied = behind.copyFrom(source, position, length);
        bytes += copied;
        return copied;
    }

    @Override
    public void read(long position, MemorySegment target, long offset, long length) throws IOException {
        behind.read(position, target, offset, length);
    }

    @Override
    public void commit() throws IOException {
        behind.commit();
    }

    @Override
    public byte @Nullable [] sha256() {
        return behind.sha256();
    }

    @Override
    public void close() {
        behind.close();
    }
}
