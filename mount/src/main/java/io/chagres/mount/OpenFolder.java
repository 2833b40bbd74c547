package io.chagres.mount;

import io.chagres.fuse.Attributes;
import io.chagres.fuse.DirectoryPlusReply;
import io.chagres.fuse.DirectoryReply;
import java.util.List;

/**
 * One use of a directory: the names it had when it was listed from its start, so that positions stay right while
 * names come and go. Used under the lock of the directory.
 */
final class OpenFolder {
    private static final byte[] SELF = {'.'};
    private static final byte[] UP = {'.', '.'};
    private static final int DOTS = 2;
    private static final int TYPE_SHIFT = 12;

    private final Folder folder;
    private final NodeTable nodes;
    private List<? extends Folder.Item> items = List.of();
    private boolean listed;

    OpenFolder(Folder folder, NodeTable nodes) {
        this.folder = folder;
        this.nodes = nodes;
    }

    /** Adds an entry to an answer. */
    private interface Writer {
        /** Returns false if it does not fit. */
        boolean add(byte[] name, Target target, long next);
    }

    /** Answers with names and what they are, from a position on. */
    synchronized void write(long position, DirectoryPlusReply reply) {
        Attributes dot = new Attributes().directory(0);
        boolean fits = position > 0 || reply.add(SELF, 0, dot, 1);
        fits = fits && (position > 1 || reply.add(UP, 0, dot, DOTS));
        if (fits) {
            each(position, (name, target, next) -> {
                Attributes attributes = reply.attributes();
                target.fill(attributes);
                boolean added = reply.add(name, target.number(), attributes, next);
                if (!added) {
                    nodes.forget(target.number(), 1);
                }
                return added;
            });
        }
        reply.done();
    }

    /** Answers with names, from a position on. */
    synchronized void write(long position, DirectoryReply reply) {
        boolean fits = position > 0 || reply.add(SELF, folder.inode(), DirectoryReply.DT_DIR, 1);
        fits = fits && (position > 1 || reply.add(UP, folder.inode(), DirectoryReply.DT_DIR, DOTS));
        if (fits) {
            Attributes attributes = new Attributes();
            each(position, (name, target, next) -> {
                target.fill(attributes.clear());
                nodes.forget(target.number(), 1); // the kernel knows no nodes from a list of names
                return reply.add(name, attributes.ino(), attributes.mode() >>> TYPE_SHIFT, next);
            });
        }
        reply.done();
    }

    private void each(long position, Writer writer) {
        if (position == 0 || !listed) {
            items = folder.list();
            listed = true;
        }
        for (int i = Math.clamp(position - DOTS, 0, items.size()); i < items.size(); i++) {
            Folder.Item item = items.get(i);
            Target target = item.target();
            if (target != null && !writer.add(item.name().bytes(), target, i + DOTS + 1L)) {
                return;
            }
        }
    }
}
