package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.XattrNamesReply;
import io.chagres.fuse.XattrReply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import org.jspecify.annotations.Nullable;

/** Extended attributes of user as a provider has them: {@link UserDefinedFileAttributeView}. Stateless. */
final class NioXattrs {
    private static final String PREFIX = "user.";

    /** The character that the JDK puts in the place of bytes that are no character. */
    private static final char NOT_DECODED = '\ufffd';

    private static final int XATTR_CREATE = 1;
    private static final int XATTR_REPLACE = 2;

    private NioXattrs() {}

    /** Returns whether a provider has any; if not, the kernel need not ask again. */
    static boolean supports(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("user");
    }

    static void get(Path path, String name, XattrReply reply) throws IOException {
        UserDefinedFileAttributeView view = view(path, name);
        if (view == null || !view.list().contains(key(name))) {
            reply.error(view == null ? Errno.EOPNOTSUPP : Errno.ENODATA);
            return;
        }
        ByteBuffer value = ByteBuffer.allocate(view.size(key(name)));
        view.read(key(name), value);
        reply.value(value.array());
    }

    static void list(Path path, XattrNamesReply reply) throws IOException {
        UserDefinedFileAttributeView view = view(path, PREFIX);
        if (view != null) {
            for (String name : view.list()) {
                if (name.indexOf(NOT_DECODED) >= 0) {
                    view.size(name); // which fails where the name is another one
                }
                reply.add((PREFIX + name).getBytes(StandardCharsets.UTF_8));
            }
        }
        reply.done();
    }

    static void set(Path path, String name, byte[] value, int flags, EmptyReply reply) throws IOException {
        UserDefinedFileAttributeView view = view(path, name);
        boolean there = view != null && view.list().contains(key(name));
        if (view == null) {
            reply.error(Errno.EOPNOTSUPP);
        } else if ((flags & XATTR_CREATE) != 0 && there) {
            reply.error(Errno.EEXIST);
        } else if ((flags & XATTR_REPLACE) != 0 && !there) {
            reply.error(Errno.ENODATA);
        } else {
            view.write(key(name), ByteBuffer.wrap(value));
            reply.done();
        }
    }

    static void remove(Path path, String name, EmptyReply reply) throws IOException {
        UserDefinedFileAttributeView view = view(path, name);
        if (view == null || !view.list().contains(key(name))) {
            reply.error(view == null ? Errno.EOPNOTSUPP : Errno.ENODATA);
        } else {
            view.delete(key(name));
            reply.done();
        }
    }

    private static String key(String name) {
        return name.substring(PREFIX.length());
    }

    /** Returns null for names of others than the user, which are not offered. */
    private static @Nullable UserDefinedFileAttributeView view(Path path, String name) {
        return name.startsWith(PREFIX)
                ? Files.getFileAttributeView(path, UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                : null;
    }
}
