package io.chagres.fuse.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The structures of the FUSE protocol 7.31 to 7.45, named as in linux/fuse.h: for each its size in bytes and the
 * offsets of its fields. Byte order is the machine's. Written out here because a distribution's header may be older
 * than its kernel.
 */
public final class Abi {
    public static final int MAJOR = 7;

    /** The newest minor version that is spoken. */
    public static final int MINOR = 45;

    /** The oldest. */
    public static final int MIN_MINOR = 31;

    public static final long ROOT_ID = 1;

    /** The size of {@code fuse_setxattr_in} without SETXATTR_EXT. */
    public static final int COMPAT_SETXATTR_IN = 8;

    public static final int GETATTR_FH = 1;
    public static final int FSYNC_FDATASYNC = 1;
    public static final int LK_FLOCK = 1;
    public static final int WRITE_CACHE = 1;
    public static final int EXPIRE_ONLY = 1;
    public static final int POLL_SCHEDULE_NOTIFY = 1;

    /** The type of an extension of a request that carries groups, behind which are their number and they. */
    public static final int EXT_GROUPS = 32;

    /** Size of fuse_ext_header, and its fields. */
    public static final int EXT_HEADER = 8;

    public static final int EXT_HEADER_SIZE = 0;
    public static final int EXT_HEADER_TYPE = 4;

    /** Size of fuse_backing_map, and its fields. */
    public static final int BACKING_MAP = 16;

    public static final int BACKING_MAP_FD = 0;

    /** FUSE_DEV_IOC_BACKING_OPEN: _IOW(229, 1, struct fuse_backing_map). */
    public static final long IOC_BACKING_OPEN = 0x4010e501L;

    /** FUSE_DEV_IOC_BACKING_CLOSE: _IOW(229, 2, uint32_t). */
    public static final long IOC_BACKING_CLOSE = 0x4004e502L;

    public static final int NOTIFY_POLL = 1;
    public static final int NOTIFY_INVAL_INODE = 2;
    public static final int NOTIFY_INVAL_ENTRY = 3;
    public static final int NOTIFY_STORE = 4;
    public static final int NOTIFY_RETRIEVE = 5;
    public static final int NOTIFY_DELETE = 6;
    public static final int NOTIFY_RESEND = 7;

    /** FUSE_UNIQUE_RESEND: in the number of a request that was sent to another server before. */
    public static final long UNIQUE_RESEND = 1L << 63;

    /** Size of fuse_in_header, and its fields. */
    public static final int IN_HEADER = 40;

    public static final int IN_HEADER_LEN = 0;
    public static final int IN_HEADER_OPCODE = 4;
    public static final int IN_HEADER_UNIQUE = 8;
    public static final int IN_HEADER_NODEID = 16;
    public static final int IN_HEADER_UID = 24;
    public static final int IN_HEADER_GID = 28;
    public static final int IN_HEADER_PID = 32;
    public static final int IN_HEADER_TOTAL_EXTLEN = 36;

    /** Size of fuse_out_header, and its fields. */
    public static final int OUT_HEADER = 16;

    public static final int OUT_HEADER_LEN = 0;
    public static final int OUT_HEADER_ERROR = 4;
    public static final int OUT_HEADER_UNIQUE = 8;

    /** Size of fuse_attr, and its fields. */
    public static final int ATTR = 88;

    public static final int ATTR_INO = 0;
    public static final int ATTR_SIZE = 8;
    public static final int ATTR_BLOCKS = 16;
    public static final int ATTR_ATIME = 24;
    public static final int ATTR_MTIME = 32;
    public static final int ATTR_CTIME = 40;
    public static final int ATTR_ATIMENSEC = 48;
    public static final int ATTR_MTIMENSEC = 52;
    public static final int ATTR_CTIMENSEC = 56;
    public static final int ATTR_MODE = 60;
    public static final int ATTR_NLINK = 64;
    public static final int ATTR_UID = 68;
    public static final int ATTR_GID = 72;
    public static final int ATTR_RDEV = 76;
    public static final int ATTR_BLKSIZE = 80;
    public static final int ATTR_FLAGS = 84;

    /** Size of fuse_entry_out, and its fields. */
    public static final int ENTRY_OUT = 128;

    public static final int ENTRY_OUT_NODEID = 0;
    public static final int ENTRY_OUT_GENERATION = 8;
    public static final int ENTRY_OUT_ENTRY_VALID = 16;
    public static final int ENTRY_OUT_ATTR_VALID = 24;
    public static final int ENTRY_OUT_ENTRY_VALID_NSEC = 32;
    public static final int ENTRY_OUT_ATTR_VALID_NSEC = 36;
    public static final int ENTRY_OUT_ATTR = 40;

    /** Size of fuse_attr_out, and its fields. */
    public static final int ATTR_OUT = 104;

    public static final int ATTR_OUT_ATTR_VALID = 0;
    public static final int ATTR_OUT_ATTR_VALID_NSEC = 8;
    public static final int ATTR_OUT_ATTR = 16;

    /** Size of fuse_forget_in, and its fields. */
    public static final int FORGET_IN = 8;

    public static final int FORGET_IN_NLOOKUP = 0;

    /** Size of fuse_batch_forget_in, and its fields. */
    public static final int BATCH_FORGET_IN = 8;

    public static final int BATCH_FORGET_IN_COUNT = 0;

    /** Size of fuse_forget_one, and its fields. */
    public static final int FORGET_ONE = 16;

    public static final int FORGET_ONE_NODEID = 0;
    public static final int FORGET_ONE_NLOOKUP = 8;

    /** Size of fuse_getattr_in, and its fields. */
    public static final int GETATTR_IN = 16;

    public static final int GETATTR_IN_FLAGS = 0;
    public static final int GETATTR_IN_FH = 8;

    /** Size of fuse_setattr_in, and its fields. */
    public static final int SETATTR_IN = 88;

    public static final int SETATTR_IN_VALID = 0;
    public static final int SETATTR_IN_FH = 8;
    public static final int SETATTR_IN_SIZE = 16;
    public static final int SETATTR_IN_LOCK_OWNER = 24;
    public static final int SETATTR_IN_ATIME = 32;
    public static final int SETATTR_IN_MTIME = 40;
    public static final int SETATTR_IN_CTIME = 48;
    public static final int SETATTR_IN_ATIMENSEC = 56;
    public static final int SETATTR_IN_MTIMENSEC = 60;
    public static final int SETATTR_IN_CTIMENSEC = 64;
    public static final int SETATTR_IN_MODE = 68;
    public static final int SETATTR_IN_UID = 76;
    public static final int SETATTR_IN_GID = 80;

    /** Size of fuse_statx_in, and its fields. */
    public static final int STATX_IN = 24;

    public static final int STATX_IN_GETATTR_FLAGS = 0;
    public static final int STATX_IN_FH = 8;
    public static final int STATX_IN_SX_FLAGS = 16;
    public static final int STATX_IN_SX_MASK = 20;

    /** Size of fuse_statx_out, and its fields. */
    public static final int STATX_OUT = 288;

    public static final int STATX_OUT_ATTR_VALID = 0;
    public static final int STATX_OUT_ATTR_VALID_NSEC = 8;
    public static final int STATX_OUT_FLAGS = 12;
    public static final int STATX_OUT_STAT = 32;

    /** Size of fuse_statx, and its fields. */
    public static final int STATX = 256;

    public static final int STATX_MASK = 0;
    public static final int STATX_BLKSIZE = 4;
    public static final int STATX_ATTRIBUTES = 8;
    public static final int STATX_NLINK = 16;
    public static final int STATX_UID = 20;
    public static final int STATX_GID = 24;
    public static final int STATX_MODE = 28;
    public static final int STATX_INO = 32;
    public static final int STATX_SIZE = 40;
    public static final int STATX_BLOCKS = 48;
    public static final int STATX_ATTRIBUTES_MASK = 56;
    public static final int STATX_ATIME = 64;
    public static final int STATX_BTIME = 80;
    public static final int STATX_CTIME = 96;
    public static final int STATX_MTIME = 112;
    public static final int STATX_RDEV_MAJOR = 128;
    public static final int STATX_RDEV_MINOR = 132;

    /** Size of fuse_mknod_in, and its fields. */
    public static final int MKNOD_IN = 16;

    public static final int MKNOD_IN_MODE = 0;
    public static final int MKNOD_IN_RDEV = 4;
    public static final int MKNOD_IN_UMASK = 8;

    /** Size of fuse_mkdir_in, and its fields. */
    public static final int MKDIR_IN = 8;

    public static final int MKDIR_IN_MODE = 0;
    public static final int MKDIR_IN_UMASK = 4;

    /** Size of fuse_rename_in, and its fields. */
    public static final int RENAME_IN = 8;

    public static final int RENAME_IN_NEWDIR = 0;

    /** Size of fuse_rename2_in, and its fields. */
    public static final int RENAME2_IN = 16;

    public static final int RENAME2_IN_NEWDIR = 0;
    public static final int RENAME2_IN_FLAGS = 8;

    /** Size of fuse_link_in, and its fields. */
    public static final int LINK_IN = 8;

    public static final int LINK_IN_OLDNODEID = 0;

    /** Size of fuse_open_in, and its fields. */
    public static final int OPEN_IN = 8;

    public static final int OPEN_IN_FLAGS = 0;
    public static final int OPEN_IN_OPEN_FLAGS = 4;

    /** Size of fuse_create_in, and its fields. */
    public static final int CREATE_IN = 16;

    public static final int CREATE_IN_FLAGS = 0;
    public static final int CREATE_IN_MODE = 4;
    public static final int CREATE_IN_UMASK = 8;
    public static final int CREATE_IN_OPEN_FLAGS = 12;

    /** Size of fuse_open_out, and its fields. */
    public static final int OPEN_OUT = 16;

    public static final int OPEN_OUT_FH = 0;
    public static final int OPEN_OUT_OPEN_FLAGS = 8;
    public static final int OPEN_OUT_BACKING_ID = 12;

    /** Size of fuse_release_in, and its fields. */
    public static final int RELEASE_IN = 24;

    public static final int RELEASE_IN_FH = 0;
    public static final int RELEASE_IN_FLAGS = 8;
    public static final int RELEASE_IN_RELEASE_FLAGS = 12;
    public static final int RELEASE_IN_LOCK_OWNER = 16;

    /** Size of fuse_flush_in, and its fields. */
    public static final int FLUSH_IN = 24;

    public static final int FLUSH_IN_FH = 0;
    public static final int FLUSH_IN_LOCK_OWNER = 16;

    /** Size of fuse_read_in, and its fields. */
    public static final int READ_IN = 40;

    public static final int READ_IN_FH = 0;
    public static final int READ_IN_OFFSET = 8;
    public static final int READ_IN_SIZE = 16;
    public static final int READ_IN_READ_FLAGS = 20;
    public static final int READ_IN_LOCK_OWNER = 24;
    public static final int READ_IN_FLAGS = 32;

    /** Size of fuse_write_in, and its fields. */
    public static final int WRITE_IN = 40;

    public static final int WRITE_IN_FH = 0;
    public static final int WRITE_IN_OFFSET = 8;
    public static final int WRITE_IN_SIZE = 16;
    public static final int WRITE_IN_WRITE_FLAGS = 20;
    public static final int WRITE_IN_LOCK_OWNER = 24;
    public static final int WRITE_IN_FLAGS = 32;

    /** Size of fuse_write_out, and its fields. */
    public static final int WRITE_OUT = 8;

    public static final int WRITE_OUT_SIZE = 0;

    /** Size of fuse_statfs_out, and its fields. */
    public static final int STATFS_OUT = 80;

    public static final int STATFS_OUT_BLOCKS = 0;
    public static final int STATFS_OUT_BFREE = 8;
    public static final int STATFS_OUT_BAVAIL = 16;
    public static final int STATFS_OUT_FILES = 24;
    public static final int STATFS_OUT_FFREE = 32;
    public static final int STATFS_OUT_BSIZE = 40;
    public static final int STATFS_OUT_NAMELEN = 44;
    public static final int STATFS_OUT_FRSIZE = 48;

    /** Size of fuse_fsync_in, and its fields. */
    public static final int FSYNC_IN = 16;

    public static final int FSYNC_IN_FH = 0;
    public static final int FSYNC_IN_FSYNC_FLAGS = 8;

    /** Size of fuse_setxattr_in, and its fields. */
    public static final int SETXATTR_IN = 16;

    public static final int SETXATTR_IN_SIZE = 0;
    public static final int SETXATTR_IN_FLAGS = 4;
    public static final int SETXATTR_IN_SETXATTR_FLAGS = 8;

    /** Size of fuse_getxattr_in, and its fields. */
    public static final int GETXATTR_IN = 8;

    public static final int GETXATTR_IN_SIZE = 0;

    /** Size of fuse_getxattr_out, and its fields. */
    public static final int GETXATTR_OUT = 8;

    public static final int GETXATTR_OUT_SIZE = 0;

    /** Size of fuse_lk_in, and its fields. */
    public static final int LK_IN = 48;

    public static final int LK_IN_FH = 0;
    public static final int LK_IN_OWNER = 8;
    public static final int LK_IN_START = 16;
    public static final int LK_IN_END = 24;
    public static final int LK_IN_TYPE = 32;
    public static final int LK_IN_PID = 36;
    public static final int LK_IN_LK_FLAGS = 40;

    /** Size of fuse_lk_out, and its fields. */
    public static final int LK_OUT = 24;

    public static final int LK_OUT_START = 0;
    public static final int LK_OUT_END = 8;
    public static final int LK_OUT_TYPE = 16;
    public static final int LK_OUT_PID = 20;

    /** Size of fuse_access_in, and its fields. */
    public static final int ACCESS_IN = 8;

    public static final int ACCESS_IN_MASK = 0;

    /** Size of fuse_init_in, and its fields. */
    public static final int INIT_IN = 64;

    public static final int INIT_IN_MAJOR = 0;
    public static final int INIT_IN_MINOR = 4;
    public static final int INIT_IN_MAX_READAHEAD = 8;
    public static final int INIT_IN_FLAGS = 12;
    public static final int INIT_IN_FLAGS2 = 16;

    /** Size of fuse_init_out, and its fields. */
    public static final int INIT_OUT = 64;

    public static final int INIT_OUT_MAJOR = 0;
    public static final int INIT_OUT_MINOR = 4;
    public static final int INIT_OUT_MAX_READAHEAD = 8;
    public static final int INIT_OUT_FLAGS = 12;
    public static final int INIT_OUT_MAX_BACKGROUND = 16;
    public static final int INIT_OUT_CONGESTION_THRESHOLD = 18;
    public static final int INIT_OUT_MAX_WRITE = 20;
    public static final int INIT_OUT_TIME_GRAN = 24;
    public static final int INIT_OUT_MAX_PAGES = 28;
    public static final int INIT_OUT_MAP_ALIGNMENT = 30;
    public static final int INIT_OUT_FLAGS2 = 32;
    public static final int INIT_OUT_MAX_STACK_DEPTH = 36;
    public static final int INIT_OUT_REQUEST_TIMEOUT = 40;

    /** Size of fuse_interrupt_in, and its fields. */
    public static final int INTERRUPT_IN = 8;

    public static final int INTERRUPT_IN_UNIQUE = 0;

    /** Size of fuse_bmap_in, and its fields. */
    public static final int BMAP_IN = 16;

    public static final int BMAP_IN_BLOCK = 0;
    public static final int BMAP_IN_BLOCKSIZE = 8;

    /** Size of fuse_bmap_out, and its fields. */
    public static final int BMAP_OUT = 8;

    public static final int BMAP_OUT_BLOCK = 0;

    /** Size of fuse_ioctl_in, and its fields. */
    public static final int IOCTL_IN = 32;

    public static final int IOCTL_IN_FH = 0;
    public static final int IOCTL_IN_FLAGS = 8;
    public static final int IOCTL_IN_CMD = 12;
    public static final int IOCTL_IN_ARG = 16;
    public static final int IOCTL_IN_IN_SIZE = 24;
    public static final int IOCTL_IN_OUT_SIZE = 28;

    /** Size of fuse_ioctl_out, and its fields. */
    public static final int IOCTL_OUT = 16;

    public static final int IOCTL_OUT_RESULT = 0;
    public static final int IOCTL_OUT_FLAGS = 4;
    public static final int IOCTL_OUT_IN_IOVS = 8;
    public static final int IOCTL_OUT_OUT_IOVS = 12;

    /** Size of fuse_poll_in, and its fields. */
    public static final int POLL_IN = 24;

    public static final int POLL_IN_FH = 0;
    public static final int POLL_IN_KH = 8;
    public static final int POLL_IN_FLAGS = 16;
    public static final int POLL_IN_EVENTS = 20;

    /** Size of fuse_poll_out, and its fields. */
    public static final int POLL_OUT = 8;

    public static final int POLL_OUT_REVENTS = 0;

    /** Size of fuse_fallocate_in, and its fields. */
    public static final int FALLOCATE_IN = 32;

    public static final int FALLOCATE_IN_FH = 0;
    public static final int FALLOCATE_IN_OFFSET = 8;
    public static final int FALLOCATE_IN_LENGTH = 16;
    public static final int FALLOCATE_IN_MODE = 24;

    /** Size of fuse_lseek_in, and its fields. */
    public static final int LSEEK_IN = 24;

    public static final int LSEEK_IN_FH = 0;
    public static final int LSEEK_IN_OFFSET = 8;
    public static final int LSEEK_IN_WHENCE = 16;

    /** Size of fuse_lseek_out, and its fields. */
    public static final int LSEEK_OUT = 8;

    public static final int LSEEK_OUT_OFFSET = 0;

    /** Size of fuse_copy_file_range_in, and its fields. */
    public static final int COPY_FILE_RANGE_IN = 56;

    public static final int COPY_FILE_RANGE_IN_FH_IN = 0;
    public static final int COPY_FILE_RANGE_IN_OFF_IN = 8;
    public static final int COPY_FILE_RANGE_IN_NODEID_OUT = 16;
    public static final int COPY_FILE_RANGE_IN_FH_OUT = 24;
    public static final int COPY_FILE_RANGE_IN_OFF_OUT = 32;
    public static final int COPY_FILE_RANGE_IN_LEN = 40;
    public static final int COPY_FILE_RANGE_IN_FLAGS = 48;

    /** Size of fuse_copy_file_range_out, and its fields. */
    public static final int COPY_FILE_RANGE_OUT = 8;

    public static final int COPY_FILE_RANGE_OUT_BYTES_COPIED = 0;

    /** Size of fuse_syncfs_in, and its fields. */
    public static final int SYNCFS_IN = 8;

    /** Size of fuse_dirent without its name, and its fields. */
    public static final int DIRENT = 24;

    public static final int DIRENT_INO = 0;
    public static final int DIRENT_OFF = 8;
    public static final int DIRENT_NAMELEN = 16;
    public static final int DIRENT_TYPE = 20;

    /** Size of fuse_direntplus without its name, and its fields. */
    public static final int DIRENTPLUS = 152;

    public static final int DIRENTPLUS_DIRENT = 128;

    /** Size of fuse_notify_poll_wakeup_out, and its fields. */
    public static final int NOTIFY_POLL_WAKEUP_OUT = 8;

    public static final int NOTIFY_POLL_WAKEUP_OUT_KH = 0;

    /** Size of fuse_notify_inval_inode_out, and its fields. */
    public static final int NOTIFY_INVAL_INODE_OUT = 24;

    public static final int NOTIFY_INVAL_INODE_OUT_INO = 0;
    public static final int NOTIFY_INVAL_INODE_OUT_OFF = 8;
    public static final int NOTIFY_INVAL_INODE_OUT_LEN = 16;

    /** Size of fuse_notify_inval_entry_out, and its fields. */
    public static final int NOTIFY_INVAL_ENTRY_OUT = 16;

    public static final int NOTIFY_INVAL_ENTRY_OUT_PARENT = 0;
    public static final int NOTIFY_INVAL_ENTRY_OUT_NAMELEN = 8;
    public static final int NOTIFY_INVAL_ENTRY_OUT_FLAGS = 12;

    /** Size of fuse_notify_delete_out, and its fields. */
    public static final int NOTIFY_DELETE_OUT = 24;

    public static final int NOTIFY_DELETE_OUT_PARENT = 0;
    public static final int NOTIFY_DELETE_OUT_CHILD = 8;
    public static final int NOTIFY_DELETE_OUT_NAMELEN = 16;

    /** Size of fuse_notify_store_out, and its fields. */
    public static final int NOTIFY_STORE_OUT = 24;

    public static final int NOTIFY_STORE_OUT_NODEID = 0;
    public static final int NOTIFY_STORE_OUT_OFFSET = 8;
    public static final int NOTIFY_STORE_OUT_SIZE = 16;

    /** Size of fuse_notify_retrieve_out, and its fields. */
    public static final int NOTIFY_RETRIEVE_OUT = 32;

    public static final int NOTIFY_RETRIEVE_OUT_NOTIFY_UNIQUE = 0;
    public static final int NOTIFY_RETRIEVE_OUT_NODEID = 8;
    public static final int NOTIFY_RETRIEVE_OUT_OFFSET = 16;
    public static final int NOTIFY_RETRIEVE_OUT_SIZE = 24;

    /** Size of fuse_notify_retrieve_in, and its fields. */
    public static final int NOTIFY_RETRIEVE_IN = 40;

    public static final int NOTIFY_RETRIEVE_IN_OFFSET = 8;
    public static final int NOTIFY_RETRIEVE_IN_SIZE = 16;

    public static final int FATTR_MODE = 0x1;
    public static final int FATTR_UID = 0x2;
    public static final int FATTR_GID = 0x4;
    public static final int FATTR_SIZE = 0x8;
    public static final int FATTR_ATIME = 0x10;
    public static final int FATTR_MTIME = 0x20;
    public static final int FATTR_FH = 0x40;
    public static final int FATTR_ATIME_NOW = 0x80;
    public static final int FATTR_MTIME_NOW = 0x100;
    public static final int FATTR_LOCKOWNER = 0x200;
    public static final int FATTR_CTIME = 0x400;
    public static final int FATTR_KILL_SUIDGID = 0x800;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    private Abi() {}

    /** Reads a {@code uint64_t}. */
    public static long getLong(MemorySegment segment, long at) {
        return segment.get(LONG, at);
    }

    /** Reads a {@code uint32_t}. */
    public static int getInt(MemorySegment segment, long at) {
        return segment.get(INT, at);
    }

    /** Reads a {@code uint16_t}. */
    public static int getShort(MemorySegment segment, long at) {
        return Short.toUnsignedInt(segment.get(SHORT, at));
    }

    /** Writes a {@code uint64_t}. */
    public static void putLong(MemorySegment segment, long at, long value) {
        segment.set(LONG, at, value);
    }

    /** Writes a {@code uint32_t}. */
    public static void putInt(MemorySegment segment, long at, int value) {
        segment.set(INT, at, value);
    }

    /** Writes a {@code uint16_t}. */
    public static void putShort(MemorySegment segment, long at, int value) {
        segment.set(SHORT, at, (short) value);
    }
}
