package io.chagres.archive.store;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.FileTimes;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists the files of a store in the order of their keys. Confined to one thread. */
final class KeyListing {
    private final StoreDirectories directories;
    private final String prefix;
    private final @Nullable String afterKey;
    private final BlobList found = new BlobList();
    private final Statx stat;
    private int most;

    /** @param stat looks at entries; stays the caller's */
    KeyListing(StoreDirectories directories, String prefix, @Nullable String afterKey, Statx stat) {
        this.directories = directories;
        this.prefix = prefix;
        this.afterKey = afterKey;
        this.stat = stat;
    }

    /** Lists at most {@code count} objects; directories behind them are not visited. */
    List<BlobInfo> upTo(int count) throws IOException {
        most = count;
        visit(prefix.substring(0, prefix.lastIndexOf('/') + 1));
        return found;
    }

    /** Visits what lies below a key that is empty or ends with a slash. */
    private void visit(String directory) throws IOException {
        String name = directory.isEmpty() ? "" : directory.substring(0, directory.length() - 1);
        try (Directory open = directories.find(name)) {
            if (open == null) {
                return;
            }
            for (byte[] below : names(open, directory)) {
                if (found.size() == most) {
                    return;
                }
                String key = directory + new String(below, StandardCharsets.ISO_8859_1);
                if (key.endsWith("/")) {
                    visit(key);
                } else {
                    visitFile(open, key, directory.length());
                }
            }
        } catch (ErrnoException e) {
            throw Refusal.of(directories.path(directory), e);
        }
    }

    /**
     * Returns what keys have behind that of a directory. A directory's ends with a slash, so that sorting gives the
     * order of the keys below it. Bytes, not Strings: a log has a million.
     */
    private List<byte[]> names(Directory open, String directory) throws IOException {
        List<byte[]> names = new ArrayList<>();
        while (open.next()) {
            String name = keyPart(open);
            if (name == null || (directory.isEmpty() && name.equals(NamelessFiles.DIRECTORY))) {
                continue;
            }
            String key = directory + name;
            if (isDirectory(open)) {
                key += "/";
                if ((key.startsWith(prefix) || prefix.startsWith(key)) && mayFollow(key)) {
                    names.add(bytes(name + "/"));
                }
            } else if (key.startsWith(prefix) && (afterKey == null || key.compareTo(afterKey) > 0)) {
                names.add(bytes(name));
            }
        }
        names.sort(Arrays::compareUnsigned);
        return names;
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.ISO_8859_1);
    }

    private boolean mayFollow(String directory) {
        return afterKey == null || directory.compareTo(afterKey) > 0 || afterKey.startsWith(directory);
    }

    private boolean isDirectory(Directory open) {
        return open.type() == Directory.DT_DIR
                || (open.type() == Directory.DT_UNKNOWN
                        && stat.of(open.fd(), open.name(), false) == 0
                        && stat.isDirectory());
    }

    /** A file that vanished meanwhile is no object, nor is anything that is no file. */
    private void visitFile(Directory open, String key, int nameStart) {
        if (stat.of(open.fd(), Pathname.of(key.substring(nameStart)), false) == 0 && stat.isRegular()) {
            found.add(new BlobInfo(key, stat.size(), FileTimes.toMs(stat.mtimeNs())));
        }
    }

    /** Returns the name of an entry as part of a key; null when it holds what no key holds. */
    static @Nullable String keyPart(Directory open) {
        byte[] name = new byte[open.nameLength()];
        MemorySegment.copy(open.nameSegment(), ValueLayout.JAVA_BYTE, open.nameOffset(), name, 0, name.length);
        for (byte b : name) {
            if (b <= ' ' || b > '~') {
                return null;
            }
        }
        return new String(name, StandardCharsets.ISO_8859_1);
    }
}
