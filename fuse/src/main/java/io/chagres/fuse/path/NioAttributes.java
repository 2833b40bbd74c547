package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.Request;
import io.chagres.linux.FileTimes;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Attributes of the files of a provider, by the best view that it has. Safe for any thread. */
final class NioAttributes {
    private static final Map<Integer, PosixFilePermission> PERMISSIONS = Map.of(
            0400, PosixFilePermission.OWNER_READ,
            0200, PosixFilePermission.OWNER_WRITE,
            0100, PosixFilePermission.OWNER_EXECUTE,
            0040, PosixFilePermission.GROUP_READ,
            0020, PosixFilePermission.GROUP_WRITE,
            0010, PosixFilePermission.GROUP_EXECUTE,
            0004, PosixFilePermission.OTHERS_READ,
            0002, PosixFilePermission.OTHERS_WRITE,
            0001, PosixFilePermission.OTHERS_EXECUTE);

    private static final int ALL_PERMISSIONS = 07777;
    private static final int RENAME_NOREPLACE = 1;

    private final Set<String> views;
    private final boolean local;
    private final int writeBits;
    private final int uid;
    private final int gid;

    /** The attributes of one file, now. */
    record Values(Map<String, Object> all) {
        private boolean is(String type) {
            return Boolean.TRUE.equals(all.get(type));
        }

        boolean isDirectory() {
            return is("isDirectory");
        }

        boolean isLink() {
            return is("isSymbolicLink");
        }

        private int number(String name, int otherwise) {
            return all.get(name) instanceof Number number ? number.intValue() : otherwise;
        }

        private long longNumber(String name) {
            return all.get(name) instanceof Number number ? number.longValue() : 0;
        }

        private long timeNs(String name) {
            return all.get(name) instanceof FileTime time ? timeOf(time.toInstant()) : 0;
        }
    }

    NioAttributes(FileSystem fileSystem) throws IOException {
        views = fileSystem.supportedFileAttributeViews();
        local = fileSystem.equals(FileSystems.getDefault());
        writeBits = fileSystem.isReadOnly() ? 0 : 0200;
        Path self = Path.of("/proc/self");
        uid = (int) Files.getAttribute(self, "unix:uid");
        gid = (int) Files.getAttribute(self, "unix:gid");
    }

    /** Returns whether files have numbers of their own. */
    boolean haveNumbers() {
        return views.contains("unix");
    }

    Values read(Path path) throws IOException {
        String view = views.contains("unix") ? "unix:*" : views.contains("posix") ? "posix:*" : "basic:*";
        return new Values(Files.readAttributes(path, view, LinkOption.NOFOLLOW_LINKS));
    }

    @Nullable
    NioIdentity identity(Values values) {
        return haveNumbers() && values.all.get("ino") instanceof Number ino
                ? new NioIdentity(
                        values.longNumber("dev"), ino.longValue(), Long.hashCode(values.timeNs("creationTime")))
                : null;
    }

    /** Fills attributes with all but how long they may be believed. */
    Attributes fill(Values values, Attributes attributes) {
        NioIdentity identity = identity(values);
        attributes
                .mode(type(values) | permissions(values))
                .size(values.all.get("size") instanceof Long size ? size : 0)
                .nlink(values.number("nlink", 1))
                .uid(values.number("uid", uid))
                .gid(values.number("gid", gid))
                .rdev(values.number("rdev", 0))
                .atimeNs(values.timeNs("lastAccessTime"))
                .mtimeNs(values.timeNs("lastModifiedTime"))
                .ctimeNs(values.timeNs(haveNumbers() ? "ctime" : "lastModifiedTime"))
                .btimeNs(values.timeNs("creationTime"));
        if (identity != null) {
            attributes.ino(identity.number());
            attributes.generation(Integer.toUnsignedLong(identity.generation()));
        }
        return attributes;
    }

    /** Returns what makes new files or directories have a mode from the start, as far as possible. */
    FileAttribute<?>[] atCreation(int mode) {
        return views.contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions(mode))}
                : new FileAttribute<?>[0];
    }

    /** Gives a new file to the caller who asked for it, with the bits that cannot be given at creation. */
    void created(Path path, int mode, Request request) throws IOException {
        if (local && uid == 0) {
            changeOwner(path, request.uid(), request.gid());
        }
        if (views.contains("posix") && !read(path).isLink()) {
            changeMode(path, mode & ALL_PERMISSIONS);
        }
    }

    private static long timeOf(Instant instant) {
        return FileTimes.of(instant.getEpochSecond(), instant.getNano());
    }

    private static FileTime fileTime(long time) {
        return FileTime.from(Instant.ofEpochSecond(FileTimes.seconds(time), FileTimes.nanos(time)));
    }

    /** Makes a change, all but the size. */
    void change(Path path, AttributeChange change, long nowNs) throws IOException {
        if (change.hasUid() || change.hasGid()) {
            changeOwner(path, change.hasUid() ? change.uid() : -1, change.hasGid() ? change.gid() : -1);
        }
        if (change.hasMode()) {
            changeMode(path, change.mode() & ALL_PERMISSIONS);
        }
        if (change.hasAtime() || change.hasMtime()) {
            FileTime atime = change.hasAtime() ? fileTime(change.atimeNs(nowNs)) : null;
            FileTime mtime = change.hasMtime() ? fileTime(change.mtimeNs(nowNs)) : null;
            Objects.requireNonNull(
                            Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS),
                            "basic view")
                    .setTimes(mtime, atime, null);
        }
    }

    /** Returns why a name is not moved, or 0: providers differ in what they replace. */
    int refusal(Path source, Path target, int flags) throws IOException {
        if ((flags & ~RENAME_NOREPLACE) != 0) {
            return Errno.EINVAL;
        }
        boolean exists = Files.exists(target, LinkOption.NOFOLLOW_LINKS);
        if (exists && flags == RENAME_NOREPLACE) {
            return Errno.EEXIST;
        }
        if (local) {
            return 0;
        }
        boolean directory = read(source).isDirectory();
        if (directory && NioFile.isZip(source)) {
            return Errno.EXDEV;
        }
        if (!exists || directory == read(target).isDirectory()) {
            return 0;
        }
        return directory ? Errno.ENOTDIR : Errno.EISDIR;
    }

    private void changeMode(Path path, int mode) throws IOException {
        Values values = read(path);
        if (mode == permissions(values)) {
            return;
        }
        if (values.isLink()) {
            throw new UnsupportedOperationException("mode of a link");
        }
        if (local) {
            Files.setAttribute(path, "unix:mode", mode);
        } else {
            Files.setPosixFilePermissions(path, permissions(mode));
        }
    }

    /** An owner of -1 stays. */
    private void changeOwner(Path path, int newUid, int newGid) throws IOException {
        Attributes now = fill(read(path), new Attributes());
        if (newUid != -1 && newUid != now.uid()) {
            Files.setAttribute(path, "unix:uid", newUid, LinkOption.NOFOLLOW_LINKS);
        }
        if (newGid != -1 && newGid != now.gid()) {
            Files.setAttribute(path, "unix:gid", newGid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static int type(Values values) {
        if (values.isDirectory()) {
            return Statx.S_IFDIR;
        }
        if (values.isLink()) {
            return Statx.S_IFLNK;
        }
        int type = values.number("mode", 0) & Statx.S_IFMT;
        return values.is("isOther") && type != 0 ? type : Statx.S_IFREG;
    }

    private int permissions(Values values) {
        if (values.isLink()) {
            return 0777;
        }
        if (local) {
            return values.number("mode", 0) & ALL_PERMISSIONS;
        }
        if (values.all.get("permissions") instanceof Set<?> granted) {
            return PERMISSIONS.entrySet().stream()
                    .filter(entry -> granted.contains(entry.getValue()))
                    .mapToInt(Map.Entry::getKey)
                    .sum();
        }
        return (values.isDirectory() ? 0555 : 0444) | writeBits;
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> granted = EnumSet.noneOf(PosixFilePermission.class);
        PERMISSIONS.forEach((bit, permission) -> {
            if ((mode & bit) != 0) {
                granted.add(permission);
            }
        });
        return granted;
    }
}
