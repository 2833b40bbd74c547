package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.DescriptorSocket;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;

/**
 * A connection with the kernel that nobody serves for the moment: its requests wait. Its holder takes it over by {@link
 * FuseServer#takeOver}: this process or the one it was sent to. If the last copy is closed without that, the mount is
 * dead. Confined to one thread.
 */
public final class FuseHandover implements AutoCloseable {
    /** The first bytes of all that is sent, with the version of what follows. */
    private static final long MAGIC = 0x4348_4652_4653_0001L;

    /** How many bytes a message has at most. */
    private static final int MESSAGE_BYTES = 1 << 16;

    /** More than any state has. */
    private static final int MAX_BYTES = 1 << 30;

    final Fd device;
    final MountedConnection mounted;
    final FuseConnection connection;
    final byte[] state;

    FuseHandover(Fd device, MountedConnection mounted, FuseConnection connection, byte[] state) {
        this.device = device;
        this.mounted = mounted;
        this.connection = connection;
        this.state = state;
    }

    /**
     * Returns where it is mounted, as far as the server knew.
     *
     * @return an absolute path, or an empty one
     */
    Pathname mountPoint() {
        return mounted.mountPoint();
    }

    /**
     * Sends a copy to the process at the other end. This one stays, for the case that the other fails.
     *
     * @param socket where {@link #receive} is called at the other end
     * @throws ErrnoException EPIPE if the other end is closed
     */
    public void send(DescriptorSocket socket) throws ErrnoException {
        byte[] text = encoded();
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment all = scratch.allocate(Long.BYTES + text.length);
            all.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, text.length);
            MemorySegment.copy(text, 0, all, ValueLayout.JAVA_BYTE, Long.BYTES, text.length);
            for (long at = 0; at < all.byteSize(); at += MESSAGE_BYTES) {
                long n = socket.send(
                        at == 0 ? device.value() : -1, all, at, Math.min(MESSAGE_BYTES, all.byteSize() - at));
                if (n < 0) {
                    throw new ErrnoException(
                            "send a mount", (int) -n, mountPoint().toString());
                }
            }
        }
    }

    /**
     * Waits for a mount from the process at the other end.
     *
     * @param socket where {@link #send} is called at the other end
     * @return the mount, owned by the caller
     * @throws ErrnoException ENODATA if the other end was closed without one, EPROTO if it sent something else
     */
    public static FuseHandover receive(DescriptorSocket socket) throws ErrnoException {
        int[] descriptor = {-1};
        boolean done = false;
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment message = scratch.allocate(MESSAGE_BYTES, Long.BYTES);
            long n = socket.receive(message, 0, MESSAGE_BYTES, descriptor);
            long length = n < Long.BYTES ? -1 : message.get(ValueLayout.JAVA_LONG, 0);
            if (n <= 0 || descriptor[0] < 0 || length < 0 || length > MAX_BYTES) {
                throw new ErrnoException("receive a mount", n < 0 ? (int) -n : Errno.ENODATA, "");
            }
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            text.writeBytes(message.asSlice(Long.BYTES, n - Long.BYTES).toArray(ValueLayout.JAVA_BYTE));
            int[] none = {-1};
            while (text.size() < length) {
                n = socket.receive(message, 0, MESSAGE_BYTES, none);
                if (n <= 0) {
                    throw new ErrnoException("receive a mount", n < 0 ? (int) -n : Errno.ENODATA, "");
                }
                text.writeBytes(message.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE));
            }
            FuseHandover received = decoded(Fd.ofValue(descriptor[0]), text.toByteArray());
            done = true;
            return received;
        } finally {
            if (!done && descriptor[0] >= 0) {
                Fd.ofValue(descriptor[0]).close();
            }
        }
    }

    private byte[] encoded() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream to = new DataOutputStream(bytes)) {
            to.writeLong(MAGIC);
            to.writeInt(connection.minor());
            to.writeInt(connection.maxWrite());
            to.writeInt(connection.maxReadahead());
            to.writeLong(connection.kernelFlags());
            to.writeInt(connection.features().size());
            for (FuseFeature feature : connection.features()) {
                to.writeUTF(feature.name());
            }
            to.writeUTF(mounted.number());
            to.writeInt(mountPoint().bytes().length);
            to.write(mountPoint().bytes());
            to.writeInt(state.length);
            to.write(state);
        } catch (IOException e) {
            throw new AssertionError(e); // it is memory
        }
        return bytes.toByteArray();
    }

    private static FuseHandover decoded(Fd device, byte[] text) throws ErrnoException {
        try (DataInputStream from = new DataInputStream(new ByteArrayInputStream(text))) {
            if (from.readLong() != MAGIC) {
                throw new IOException("another version");
            }
            int minor = from.readInt();
            int maxWrite = from.readInt();
            int maxReadahead = from.readInt();
            long kernelFlags = from.readLong();
            Set<FuseFeature> features = EnumSet.noneOf(FuseFeature.class);
            for (int count = from.readInt(); count > 0; count--) {
                features.add(FuseFeature.valueOf(from.readUTF()));
            }
            String number = from.readUTF();
            byte[] mountPoint = from.readNBytes(from.readInt());
            byte[] state = from.readNBytes(from.readInt());
            return new FuseHandover(
                    device,
                    new MountedConnection(Pathname.ofBytes(mountPoint), -1, 0, number),
                    new FuseConnection(minor, FuseTransport.CLASSIC, features, maxWrite, maxReadahead, kernelFlags),
                    state);
        } catch (IOException | IllegalArgumentException e) {
            ErrnoException malformed =
                    new ErrnoException("receive a mount", Errno.EPROTO, String.valueOf(e.getMessage()));
            malformed.initCause(e);
            throw malformed;
        }
    }

    /** Closes this copy. Idempotent. */
    @Override
    public void close() {
        device.close();
    }
}
