package io.chagres.fuse.wire;

/** The requests of the kernel, {@code enum fuse_opcode} of linux/fuse.h. Numbers that the kernel skips are unused. */
public final class Opcode {
    public static final int LOOKUP = 1;
    public static final int FORGET = 2;
    public static final int GETATTR = 3;
    public static final int SETATTR = 4;
    public static final int READLINK = 5;
    public static final int SYMLINK = 6;
    public static final int MKNOD = 8;
    public static final int MKDIR = 9;
    public static final int UNLINK = 10;
    public static final int RMDIR = 11;
    public static final int RENAME = 12;
    public static final int LINK = 13;
    public static final int OPEN = 14;
    public static final int READ = 15;
    public static final int WRITE = 16;
    public static final int STATFS = 17;
    public static final int RELEASE = 18;
    public static final int FSYNC = 20;
    public static final int SETXATTR = 21;
    public static final int GETXATTR = 22;
    public static final int LISTXATTR = 23;
    public static final int REMOVEXATTR = 24;
    public static final int FLUSH = 25;
    public static final int INIT = 26;
    public static final int OPENDIR = 27;
    public static final int READDIR = 28;
    public static final int RELEASEDIR = 29;
    public static final int FSYNCDIR = 30;
    public static final int GETLK = 31;
    public static final int SETLK = 32;
    public static final int SETLKW = 33;
    public static final int ACCESS = 34;
    public static final int CREATE = 35;
    public static final int INTERRUPT = 36;
    public static final int BMAP = 37;
    public static final int DESTROY = 38;
    public static final int IOCTL = 39;
    public static final int POLL = 40;
    public static final int NOTIFY_REPLY = 41;
    public static final int BATCH_FORGET = 42;
    public static final int FALLOCATE = 43;
    public static final int READDIRPLUS = 44;
    public static final int RENAME2 = 45;
    public static final int LSEEK = 46;
    public static final int COPY_FILE_RANGE = 47;
    public static final int SETUPMAPPING = 48;
    public static final int REMOVEMAPPING = 49;
    public static final int SYNCFS = 50;
    public static final int TMPFILE = 51;
    public static final int STATX = 52;
    public static final int COPY_FILE_RANGE_64 = 53;

    /** One more than the largest. */
    public static final int COUNT = 54;

    private static final String[] NAMES = {
        "",
        "lookup",
        "forget",
        "getattr",
        "setattr",
        "readlink",
        "symlink",
        "",
        "mknod",
        "mkdir",
        "unlink",
        "rmdir",
        "rename",
        "link",
        "open",
        "read",
        "write",
        "statfs",
        "release",
        "",
        "fsync",
        "setxattr",
        "getxattr",
        "listxattr",
        "removexattr",
        "flush",
        "init",
        "opendir",
        "readdir",
        "releasedir",
        "fsyncdir",
        "getlk",
        "setlk",
        "setlkw",
        "access",
        "create",
        "interrupt",
        "bmap",
        "destroy",
        "ioctl",
        "poll",
        "notify_reply",
        "batch_forget",
        "fallocate",
        "readdirplus",
        "rename2",
        "lseek",
        "copy_file_range",
        "setupmapping",
        "removemapping",
        "syncfs",
        "tmpfile",
        "statx",
        "copy_file_range_64",
    };

    private Opcode() {}

    /** Returns the kernel's name in lower case, or the number in words. */
    public static String name(int opcode) {
        String name = opcode >= 0 && opcode < COUNT ? NAMES[opcode] : "";
        return name.isEmpty() ? "opcode " + opcode : name;
    }
}
