/**
 * Kernel objects: descriptors, directories, file status and identity, mappings, pipes, inotify, epoll, io_uring.
 *
 * <p>Methods called per read or per event return the kernel's result or {@code -errno} and allocate nothing; all others
 * throw {@link io.chagres.foreign.ErrnoException}. Names are bytes, see {@link io.chagres.linux.Pathname}. Objects with
 * a {@code close()} own a descriptor or native memory until it is called.
 *
 * <table>
 * <caption>Which class</caption>
 * <tr><th>object</th><th>classes</th></tr>
 * <tr><td>open files</td><td>{@link Fd}, {@link FileControl}, {@link RangeLock}, {@link HeapReader},
 *     {@link IoVector}</td></tr>
 * <tr><td>names and directories</td><td>{@link Pathname}, {@link Glob}, {@link PathFd}, {@link Directory},
 *     {@link DirectoryEntries}</td></tr>
 * <tr><td>what a file is and where it lies</td><td>{@link Statx}, {@link FileHandle}, {@link Fiemap},
 *     {@link FileRangeDedupe}, {@link CacheStat}</td></tr>
 * <tr><td>file systems and mounts</td><td>{@link Statfs}, {@link FileSystemId}, {@link MountInfo},
 *     {@link MountPoint}</td></tr>
 * <tr><td>bytes that move in the kernel</td><td>{@link Mapping}, {@link Transfer}, {@link Pipe}</td></tr>
 * <tr><td>events</td><td>{@link Inotify}, {@link InotifyEvents}, {@link Epoll}, {@link EventFd}</td></tr>
 * <tr><td>io_uring</td><td>{@link IoUring}, {@link SubmissionEntry}, {@link CompletionQueue}</td></tr>
 * <tr><td>processes and the machine</td><td>{@link ChildProcess}, {@link ProcPid}, {@link Signals},
 *     {@link FsCredentials}, {@link ResourceLimit}, {@link CpuAffinity}, {@link SocketPair}, {@link NotifySocket},
 *     {@link MonotonicClock}, {@link Machine}</td></tr>
 * </table>
 *
 * <p>{@snippet :
 * try (Fd file = Fd.open(Pathname.of("/etc/hostname"), Fd.O_RDONLY, 0);
 *         Arena arena = Arena.ofConfined()) {
 *     MemorySegment buffer = arena.allocate(4096);
 *     long n = file.pread(buffer, 0, buffer.byteSize(), 0);
 * }
 * }
 */
@NullMarked
package io.chagres.linux;

import org.jspecify.annotations.NullMarked;
