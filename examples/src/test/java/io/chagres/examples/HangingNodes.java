package io.chagres.examples;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseConnection;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseHandover;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.fuse.Name;
import io.chagres.fuse.Notifier;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Request;
import io.chagres.fuse.TransferableFileSystem;
import io.chagres.linux.DescriptorSocket;
import io.chagres.linux.Pathname;
import java.nio.charset.StandardCharsets;

/** Files whose reads wait until their server is dead, and tell then whether they were asked for before. */
final class HangingNodes implements TransferableFileSystem {
    /** The content read by a first request, and by one that a dead server had. */
    static final String ONCE = "once ";

    static final String AGAIN = "again";

    /** Its output for each read that it does not answer. */
    static final String HANGS = "a read hangs";

    static final FuseOptions OPTIONS =
            FuseOptions.DEFAULTS.withTransport(FuseTransport.CLASSIC).with(FuseFeature.RESEND, FuseFeature.DIRECT_IO);

    private final boolean hangs;

    HangingNodes(boolean hangs) {
        this.hangs = hangs;
    }

    /** Serves what somebody has mounted, as long as that is. */
    public static void main(String[] arguments) throws Exception {
        try (DescriptorSocket from = connected(Pathname.of(arguments[1]));
                FuseHandover received = FuseHandover.receive(from)) {
            FuseServer.takeOver(new HangingNodes(Boolean.parseBoolean(arguments[0])), received, OPTIONS)
                    .join();
        }
    }

    /** Waits for the socket. */
    private static DescriptorSocket connected(Pathname path) throws ErrnoException {
        while (true) {
            try {
                return DescriptorSocket.connect(path);
            } catch (ErrnoException e) {
                if (e.errno() != Errno.ENOENT && e.errno() != Errno.ECONNREFUSED) {
                    throw e;
                }
                Thread.yield();
            }
        }
    }

    @Override
    public byte[] handOver() {
        return new byte[0];
    }

    @Override
    public void takeOver(FuseConnection connection, Notifier notifier, byte[] state) {}

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        reply.entry(1L + name.length(), reply.attributes().file(0644, ONCE.length()));
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        reply.attributes(
                node == ROOT
                        ? reply.attributes().directory(0755)
                        : reply.attributes().file(0644, ONCE.length()));
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        if (hangs) {
            System.out.println(HANGS);
            reply.defer();
            return;
        }
        byte[] content = (request.isResent() ? AGAIN : ONCE).getBytes(StandardCharsets.UTF_8);
        int from = (int) Math.min(position, content.length);
        reply.data(content, from, Math.min(size, content.length - from));
    }
}
