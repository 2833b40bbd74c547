package io.chagres.fuse.path;

import io.chagres.fuse.DirectoryReply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Names of open directories, as they were at opening, so that positions in them stay right. Safe for any thread. */
final class Listings {
    private final Map<Long, List<String>> names = new ConcurrentHashMap<>();
    private final AtomicLong lastHandle = new AtomicLong();

    /** Keeps names until {@link #close} and returns a handle. */
    long open(List<String> listed) {
        long handle = lastHandle.incrementAndGet();
        names.put(handle, List.copyOf(listed));
        return handle;
    }

    /** Answers with what follows a position. */
    void read(long handle, long position, DirectoryReply reply) {
        List<String> listed = names.getOrDefault(handle, List.of());
        for (int at = (int) position; at < listed.size(); at++) {
            byte[] name = listed.get(at).getBytes(StandardCharsets.UTF_8);
            if (!reply.add(name, -1, DirectoryReply.DT_UNKNOWN, at + 1L)) {
                break;
            }
        }
        reply.done();
    }

    void close(long handle) {
        names.remove(handle);
    }
}
