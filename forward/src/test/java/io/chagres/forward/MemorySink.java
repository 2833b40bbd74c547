package io.chagres.forward;

import io.chagres.archive.HostRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A sink in memory, which fails on demand; several forwarders may each have one over the same {@link Server}. */
final class MemorySink implements Sink {
    /** How a call fails. */
    enum Fault {
        /** It was not done. */
        REFUSED,
        /** It was done, and the answer was lost. */
        ANSWER_LOST
    }

    /** The records that a reader of committed ones sees, and the transactions of hosts. */
    static final class Server {
        final List<ForwardedRecord> visible = new ArrayList<>();
        final Map<String, Map<Long, byte[]>> positions = new HashMap<>();
        final Map<String, Integer> epochs = new HashMap<>();
        final Map<String, MemorySink> owners = new HashMap<>();
        private final Map<Long, Fault> faults = new HashMap<>();
        long calls;

        /** Whether it keeps each record at once, with its position, as a sink without transactions does. */
        boolean keepsEach;

        /** Lets the n-th call from now on fail. */
        void fail(long inCalls, Fault fault) {
            faults.put(calls + inCalls, fault);
        }

        private Fault next() {
            return faults.remove(calls++);
        }
    }

    private final Server server;
    private final int maxValueBytes;

    MemorySink(Server server, int maxValueBytes) {
        this.server = server;
        this.maxValueBytes = maxValueBytes;
    }

    @Override
    public int maxValueBytes() {
        return maxValueBytes;
    }

    @Override
    public HostSink open(HostRegistry.Owner host) throws IOException {
        Fault fault = server.next();
        if (fault == Fault.REFUSED) {
            throw lost();
        }
        MemorySink owner = server.owners.get(host.id());
        if (owner != null && owner != this && opened) {
            throw new SinkFencedException(host.title());
        }
        opened = true;
        server.owners.put(host.id(), this);
        int epoch = server.epochs.merge(host.id(), 1, Integer::sum);
        if (fault != null) {
            throw lost();
        }
        return new MemoryHostSink(host, epoch);
    }

    private boolean opened;

    private static SinkException lost() {
        return new SinkException("no answer", new IOException("as the test wants it"));
    }

    @Override
    public void close() {}

    private final class MemoryHostSink implements HostSink {
        private final HostRegistry.Owner host;
        private final int epoch;
        private final List<ForwardedRecord> sent = new ArrayList<>();

        MemoryHostSink(HostRegistry.Owner host, int epoch) {
            this.host = host;
            this.epoch = epoch;
        }

        @Override
        public Map<Long, Position> positions() {
            Map<Long, Position> decoded = new TreeMap<>();
            server.positions.getOrDefault(host.id(), Map.of()).forEach((id, bytes) -> {
                try {
                    decoded.put(id, Position.decode(bytes));
                } catch (SinkException e) {
                    throw new AssertionError(e);
                }
            });
            return decoded;
        }

        @Override
        public boolean send(ForwardedRecord record, Position after) throws IOException {
            if (server.next() != null) {
                throw lost();
            }
            if (server.keepsEach) {
                server.visible.add(record);
                kept().put(record.version(), after.encode());
            } else {
                sent.add(record);
            }
            return server.keepsEach;
        }

        private Map<Long, byte[]> kept() {
            return server.positions.computeIfAbsent(host.id(), id -> new TreeMap<>());
        }

        @Override
        public void commit(Map<Long, Position> moved) throws IOException {
            Fault fault = server.next();
            if (server.epochs.get(host.id()) != epoch) {
                throw lost(); // whose answer says no more; opening it again tells
            }
            if (fault == Fault.REFUSED) {
                throw lost();
            }
            server.visible.addAll(sent);
            sent.clear();
            moved.forEach((id, position) -> kept().put(id, position.encode()));
            if (fault != null) {
                throw lost();
            }
        }

        @Override
        public void close() {
            sent.clear();
        }
    }
}
