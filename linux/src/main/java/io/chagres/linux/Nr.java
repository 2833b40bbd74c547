package io.chagres.linux;

/** Holds system call numbers: {@code asm/unistd_64.h} of x86-64, {@code asm-generic/unistd.h} elsewhere (aarch64). */
final class Nr {
    static final boolean X86 = System.getProperty("os.arch").equals("amd64");

    static final int READ = X86 ? 0 : 63;
    static final int WRITE = X86 ? 1 : 64;
    static final int CLOSE = X86 ? 3 : 57;
    static final int LSEEK = X86 ? 8 : 62;
    static final int IOCTL = X86 ? 16 : 29;
    static final int PREAD64 = X86 ? 17 : 67;
    static final int PWRITE64 = X86 ? 18 : 68;
    static final int FCNTL = X86 ? 72 : 25;
    static final int FLOCK = X86 ? 73 : 32;
    static final int FSYNC = X86 ? 74 : 82;
    static final int FDATASYNC = X86 ? 75 : 83;
    static final int FTRUNCATE = X86 ? 77 : 46;
    static final int GETCWD = X86 ? 79 : 17;
    static final int FCHMOD = X86 ? 91 : 52;
    static final int FCHOWN = X86 ? 93 : 55;
    static final int FSTATFS = X86 ? 138 : 44;
    static final int GETDENTS64 = X86 ? 217 : 61;
    static final int FADVISE64 = X86 ? 221 : 223;
    static final int EPOLL_CTL = X86 ? 233 : 21;
    static final int INOTIFY_ADD_WATCH = X86 ? 254 : 27;
    static final int INOTIFY_RM_WATCH = X86 ? 255 : 28;
    static final int OPENAT = X86 ? 257 : 56;
    static final int MKDIRAT = X86 ? 258 : 34;
    static final int MKNODAT = X86 ? 259 : 33;
    static final int FCHOWNAT = X86 ? 260 : 54;
    static final int UNLINKAT = X86 ? 263 : 35;
    static final int LINKAT = X86 ? 265 : 37;
    static final int SYMLINKAT = X86 ? 266 : 36;
    static final int READLINKAT = X86 ? 267 : 78;
    static final int FCHMODAT = X86 ? 268 : 53;
    static final int UTIMENSAT = X86 ? 280 : 88;
    static final int EPOLL_PWAIT = X86 ? 281 : 22;
    static final int EVENTFD2 = X86 ? 290 : 19;
    static final int EPOLL_CREATE1 = X86 ? 291 : 20;
    static final int INOTIFY_INIT1 = X86 ? 294 : 26;
    static final int PRLIMIT64 = X86 ? 302 : 261;
    static final int NAME_TO_HANDLE_AT = X86 ? 303 : 264;
    static final int RENAMEAT2 = X86 ? 316 : 276;
    static final int COPY_FILE_RANGE = X86 ? 326 : 285;
    static final int STATX = X86 ? 332 : 291;
    static final int OPENAT2 = 437;

    /** Directory descriptor that stands for the working directory. */
    static final int AT_FDCWD = -100;

    static final int AT_SYMLINK_NOFOLLOW = 0x100;
    static final int AT_REMOVEDIR = 0x200;
    static final int AT_SYMLINK_FOLLOW = 0x400;
    static final int AT_EMPTY_PATH = 0x1000;

    private Nr() {}
}
