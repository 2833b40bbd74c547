/**
 * Kernel objects: descriptors, directories, file status and identity, mappings, pipes, inotify, epoll, io_uring.
 *
 * <p>Methods called per read or per event return the kernel's result or {@code -errno} and allocate nothing; all others
 * throw {@link io.chagres.foreign.ErrnoException}. Names are bytes, see {@link io.chagres.linux.Pathname}. Objects with
 * a {@code close()} own a descriptor or native memory until it is called.
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
