package io.chagres.faultfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a file when it was last synced, as far as it has changed since: pages that were overwritten or cut off,
 * the size, and attributes. Costs a read and a write for each page that is changed the first time. Guarded by its tree.
 */
final class UnsyncedContent {
    private static final int PAGE = 4096;

    private final Path scratch;
    private final BitSet saved = new BitSet();
    private @Nullable FileChannel pages;

    /** The synced size, or -1 if content and size are as synced. */
    private long size = -1;

    private @Nullable Map<String, Object> attributes;

    /** Makes one of a file that has not changed; pages will be kept in the file {@code scratch}. */
    UnsyncedContent(Path scratch) {
        this.scratch = scratch;
    }

    /** Says that the file is new: synced is an empty one. */
    void isNew() {
        size = 0;
    }

    /** Says that attributes are about to change, as they also do with content. */
    void beforeAttributes(Path file) throws IOException {
        if (attributes == null) {
            attributes = Files.readAttributes(file, "unix:mode,uid,gid,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Says that a range is about to be written or cut off. */
    void beforeChange(Path file, long position, long end) throws IOException {
        beforeAttributes(file);
        if (size < 0) {
            size = Files.size(file);
        }
        long last = Math.min(end, size);
        if (position >= last) {
            return;
        }
        try (FileChannel content = FileChannel.open(file, StandardOpenOption.READ)) {
            for (int page = (int) (position / PAGE); (long) page * PAGE < last; page++) {
                if (!saved.get(page)) {
                    save(content, page);
                }
            }
        }
    }

    private void save(FileChannel content, int page) throws IOException {
        long start = (long) page * PAGE;
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(PAGE, size - start));
        fill(content, buffer, start);
        write(buffer.flip(), start);
        saved.set(page);
    }

    /** Says that data is about to be written that is safe with the write itself, while other changes are not. */
    void beforeSyncedWrite(Path file, long position, ByteBuffer data) throws IOException {
        if (size < 0) {
            return; // all is as synced, and will be
        }
        long end = position + data.remaining();
        beforeChange(file, Math.min(position, size) / PAGE * PAGE, end);
        for (long page = size / PAGE; page * PAGE < end; page++) {
            saved.set((int) page); // zeros, where nothing was saved
        }
        write(data, position);
        size = Math.max(size, end);
    }

    private void write(ByteBuffer data, long position) throws IOException {
        FileChannel to = pages;
        if (to == null) {
            to = FileChannel.open(
                    scratch,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
            pages = to;
        }
        for (long at = position; data.hasRemaining(); ) {
            at += to.write(data, at);
        }
    }

    /** Says that content and size are safe. */
    void contentSynced() throws IOException {
        size = -1;
        saved.clear();
        if (pages != null) {
            pages.close();
            pages = null;
        }
    }

    /** Makes the file again as it was synced. */
    void revert(Path file) throws IOException {
        if (size >= 0) {
            try (FileChannel content = FileChannel.open(file, StandardOpenOption.WRITE)) {
                content.truncate(size);
                if (content.size() < size) {
                    content.write(ByteBuffer.allocate(1), size - 1);
                }
                for (int page = saved.nextSetBit(0); page >= 0; page = saved.nextSetBit(page + 1)) {
                    revert(content, page);
                }
            }
        }
        if (attributes != null) {
            for (Map.Entry<String, Object> each : attributes.entrySet()) {
                Files.setAttribute(file, "unix:" + each.getKey(), each.getValue(), LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    private void revert(FileChannel content, int page) throws IOException {
        long start = (long) page * PAGE;
        ByteBuffer buffer = ByteBuffer.allocate(Math.clamp(size - start, 0, PAGE));
        if (pages != null) {
            fill(pages, buffer, start);
        }
        buffer.clear(); // what was not read is zeros
        for (long at = start; buffer.hasRemaining(); ) {
            at += content.write(buffer, at);
        }
    }

    private static void fill(FileChannel from, ByteBuffer buffer, long start) throws IOException {
        int n = 0;
        while (n >= 0 && buffer.hasRemaining()) {
            n = from.read(buffer, start + buffer.position());
        }
    }
}
