package io.chagres.fuse.wire;

/**
 * The features that kernel and server may agree on at INIT, the {@code FUSE_} flags of linux/fuse.h. Bits from 32 up
 * travel in {@code flags2}.
 */
public final class InitFlags {
    public static final long ASYNC_READ = 1L << 0;
    public static final long POSIX_LOCKS = 1L << 1;
    public static final long FILE_OPS = 1L << 2;
    public static final long ATOMIC_O_TRUNC = 1L << 3;
    public static final long EXPORT_SUPPORT = 1L << 4;
    public static final long BIG_WRITES = 1L << 5;
    public static final long DONT_MASK = 1L << 6;
    public static final long SPLICE_WRITE = 1L << 7;
    public static final long SPLICE_MOVE = 1L << 8;
    public static final long SPLICE_READ = 1L << 9;
    public static final long FLOCK_LOCKS = 1L << 10;
    public static final long HAS_IOCTL_DIR = 1L << 11;
    public static final long AUTO_INVAL_DATA = 1L << 12;
    public static final long DO_READDIRPLUS = 1L << 13;
    public static final long READDIRPLUS_AUTO = 1L << 14;
    public static final long ASYNC_DIO = 1L << 15;
    public static final long WRITEBACK_CACHE = 1L << 16;
    public static final long NO_OPEN_SUPPORT = 1L << 17;
    public static final long PARALLEL_DIROPS = 1L << 18;
    public static final long HANDLE_KILLPRIV = 1L << 19;
    public static final long POSIX_ACL = 1L << 20;
    public static final long ABORT_ERROR = 1L << 21;
    public static final long MAX_PAGES = 1L << 22;
    public static final long CACHE_SYMLINKS = 1L << 23;
    public static final long NO_OPENDIR_SUPPORT = 1L << 24;
    public static final long EXPLICIT_INVAL_DATA = 1L << 25;
    public static final long MAP_ALIGNMENT = 1L << 26;
    public static final long SUBMOUNTS = 1L << 27;
    public static final long HANDLE_KILLPRIV_V2 = 1L << 28;
    public static final long SETXATTR_EXT = 1L << 29;
    public static final long INIT_EXT = 1L << 30;
    public static final long INIT_RESERVED = 1L << 31;
    public static final long SECURITY_CTX = 1L << 32;
    public static final long HAS_INODE_DAX = 1L << 33;
    public static final long CREATE_SUPP_GROUP = 1L << 34;
    public static final long HAS_EXPIRE_ONLY = 1L << 35;
    public static final long DIRECT_IO_ALLOW_MMAP = 1L << 36;
    public static final long PASSTHROUGH = 1L << 37;
    public static final long NO_EXPORT_SUPPORT = 1L << 38;
    public static final long HAS_RESEND = 1L << 39;
    public static final long ALLOW_IDMAP = 1L << 40;
    public static final long OVER_IO_URING = 1L << 41;
    public static final long REQUEST_TIMEOUT = 1L << 42;

    private InitFlags() {}
}
