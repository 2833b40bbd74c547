package io.chagres.examples;

import io.chagres.foreign.Errno;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.CreateReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseConnection;
import io.chagres.fuse.Name;
import io.chagres.fuse.Notifier;
import io.chagres.fuse.Payload;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Request;
import io.chagres.fuse.TransferableFileSystem;
import io.chagres.fuse.WriteReply;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Files of one directory in memory, by nodes, that go from one process to the next with all they hold. */
final class TransferableNodes implements TransferableFileSystem {
    private final List<File> files = new ArrayList<>();

    /** Its node is the root's number and its place, from 1 on. */
    private static final class File {
        private final String name;
        private byte[] content;

        private File(String name, byte[] content) {
            this.name = name;
            this.content = content;
        }
    }

    private File file(long node) {
        return files.get((int) (node - ROOT - 1));
    }

    private Attributes attributes(long node, Attributes attributes) {
        attributes.ino(node);
        return node == ROOT ? attributes.directory(0755) : attributes.file(0644, file(node).content.length);
    }

    @Override
    public synchronized byte[] handOver() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(bytes);
        to.writeInt(files.size());
        for (File file : files) {
            to.writeUTF(file.name);
            to.writeInt(file.content.length);
            to.write(file.content);
        }
        return bytes.toByteArray();
    }

    @Override
    public synchronized void takeOver(FuseConnection connection, Notifier notifier, byte[] state) throws IOException {
        DataInputStream from = new DataInputStream(new ByteArrayInputStream(state));
        for (int count = from.readInt(); count > 0; count--) {
            files.add(new File(from.readUTF(), from.readNBytes(from.readInt())));
        }
    }

    @Override
    public synchronized void lookup(Request request, long parent, Name name, EntryReply reply) {
        String wanted = new String(name.bytes(), StandardCharsets.UTF_8);
        for (int i = 0; i < files.size(); i++) {
            if (files.get(i).name.equals(wanted)) {
                reply.entry(ROOT + 1 + i, attributes(ROOT + 1 + i, reply.attributes()));
                return;
            }
        }
        reply.error(Errno.ENOENT);
    }

    @Override
    public synchronized void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        files.add(new File(new String(name.bytes(), StandardCharsets.UTF_8), new byte[0]));
        long node = ROOT + files.size();
        reply.created(node, attributes(node, reply.attributes()), 0, 0);
    }

    @Override
    public synchronized void getattr(Request request, long node, long handle, AttributesReply reply) {
        reply.attributes(attributes(node, reply.attributes()));
    }

    @Override
    public synchronized void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        if (change.hasSize()) {
            resize(file(node), change.size());
        }
        reply.attributes(attributes(node, reply.attributes()));
    }

    private static void resize(File file, long size) {
        file.content = Arrays.copyOf(file.content, (int) size);
    }

    @Override
    public synchronized void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        for (int i = (int) position; i < files.size(); i++) {
            byte[] name = files.get(i).name.getBytes(StandardCharsets.UTF_8);
            if (!reply.add(name, ROOT + 1 + i, DirectoryReply.DT_UNKNOWN, i + 1L)) {
                break;
            }
        }
        reply.done();
    }

    @Override
    public synchronized void read(
            Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        byte[] content = file(node).content;
        int from = (int) Math.min(position, content.length);
        reply.data(content, from, Math.min(size, content.length - from));
    }

    @Override
    public synchronized void write(
            Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        File file = file(node);
        resize(file, Math.max(file.content.length, position + data.length()));
        System.arraycopy(data.bytes(), 0, file.content, (int) position, data.length());
        reply.written(data.length());
    }
}
