package io.chagres.mount;

import io.chagres.archive.state.NameTree;
import io.chagres.fuse.Attributes;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.util.concurrent.locks.Lock;

/** A symbolic link of a host. */
final class LinkNode extends Node {
    private static final int ALL = 0777;

    private final HostTree host;
    private final NameTree.Entry entry;

    LinkNode(long number, long inode, HostTree host, NameTree.Entry entry) {
        super(number, inode);
        this.host = host;
        this.entry = entry;
    }

    @Override
    Lock lock() {
        return host.readLock();
    }

    @Override
    public void fill(Attributes to) {
        to.size(target().length());
        host.fillOther(entry.attributes(), inode(), to);
        to.mode(Statx.S_IFLNK | ALL);
    }

    /** Returns where it leads. Under the lock. */
    Pathname target() {
        Pathname written = entry.target();
        return host.options().linksAsWritten() ? written : LinkTarget.inside(written, depth());
    }

    /** Returns how many directories of the host it lies in, the root not counted. */
    private int depth() {
        int depth = -1;
        for (NameTree.Entry at = entry.parent(); at != null; at = at.parent()) {
            depth++;
        }
        return Math.max(0, depth);
    }
}
