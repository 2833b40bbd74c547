package io.chagres.ship.file;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchedDirectory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The names of a {@link Tail}, and what few files need. Confined to the shipper's thread. */
public abstract sealed class NamedVersion permits Tail {
    public final long versionId;
    private @Nullable Dentry name;

    @Nullable
    Seldom seldom;

    NamedVersion(long versionId, @Nullable Dentry name, @Nullable Seldom seldom) {
        this.versionId = versionId;
        this.name = name;
        this.seldom = seldom;
    }

    final Seldom seldom() {
        Seldom has = seldom;
        if (has == null) {
            has = new Seldom();
            seldom = has;
        }
        return has;
    }

    /** Adds a name, once. */
    public final void addName(Dentry added) {
        if (seldom != null) {
            seldom.unlinked = null;
        }
        if (name == null) {
            name = added;
        } else if (name != added) {
            Seldom has = seldom();
            List<Dentry> more = has.moreNames == null ? new ArrayList<>(1) : has.moreNames;
            more.add(added);
            has.moreNames = more;
        }
    }

    final void removeName(Dentry removed) {
        List<Dentry> more = moreNames();
        if (!more.isEmpty()) {
            more.remove(removed);
        }
        if (name == removed) {
            name = more.isEmpty() ? null : more.removeLast();
        }
    }

    /** Returns the names but one; an empty list must not be changed. */
    private List<Dentry> moreNames() {
        List<Dentry> more = seldom == null ? null : seldom.moreNames;
        return more == null ? List.of() : more;
    }

    /** Returns the watch over the file since it lost its last name; null while it has one. */
    public final @Nullable Unlinked unlinked() {
        return seldom == null ? null : seldom.unlinked;
    }

    /** Begins to watch the file, which has no name any longer. */
    public final void loseNames() {
        seldom().unlinked = new Unlinked();
    }

    /** Notes the name that a file had which has none. */
    public final void lostNameAt(Pathname path) {
        seldom().lastPath = path;
    }

    /** Returns the last name, of a file that has none. */
    final @Nullable Pathname lastPath() {
        return seldom == null ? null : seldom.lastPath;
    }

    /** Says whether it has a name. */
    public final boolean hasName() {
        return name != null;
    }

    /** Returns one of the names, or null when the file has none. */
    public final @Nullable Dentry name() {
        return name;
    }

    /** Returns how many names it has. */
    public final int nameCount() {
        return (name == null ? 0 : 1) + moreNames().size();
    }

    /** Says whether each close of it by one of its names is reported: not where a link from elsewhere is the name. */
    public final boolean reportsCloses() {
        if (name != null && !reportsCloses(name)) {
            return false;
        }
        for (Dentry each : moreNames()) {
            if (!reportsCloses(each)) {
                return false;
            }
        }
        return true;
    }

    private static boolean reportsCloses(Dentry name) {
        WatchedDirectory parent = name.parent();
        return name.type() == Directory.DT_REG && parent != null && parent.reportsCloses();
    }

    /** Returns all names. Allocates. */
    public final List<Dentry> names() {
        List<Dentry> all = new ArrayList<>();
        if (name != null) {
            all.add(name);
        }
        all.addAll(moreNames());
        return all;
    }

    /** Returns a path for messages. */
    public final String describe() {
        Pathname path = name == null ? lastPath() : name.path();
        return path == null ? "a file without a name (version " + Long.toHexString(versionId) + ")" : path.toString();
    }

    /** Attaches itself, or the block with its row, to all names. */
    final void attachNames(Object to) {
        if (name != null) {
            name.attach(to);
        }
        moreNames().forEach(each -> each.attach(to));
    }

    /** Says whether it has a name and is what is attached to all. */
    final boolean isAttachedToNames() {
        return name != null
                && name.attachment() == this
                && moreNames().stream().allMatch(each -> each.attachment() == this);
    }
}
