package io.chagres.archive.restore;

import io.chagres.archive.InodeAttributes;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;

/** Gives what is restored its owner, mode and modification time. Confined to one thread. */
final class AttributeSetter {
    /** Also the sticky bit: it gives nobody anything, and without it others may remove what lies in a directory. */
    private static final int PERMISSIONS = 01777;

    private static final int PERMISSIONS_AND_SPECIAL_BITS = 07777;

    private final int modeMask;
    private final RestoreCounter counter;
    private boolean maySetOwner = true;

    AttributeSetter(boolean specialBits, RestoreCounter counter) {
        modeMask = specialBits ? PERMISSIONS_AND_SPECIAL_BITS : PERMISSIONS;
        this.counter = counter;
    }

    /** Sets the owner first, because that takes special bits away; then the mode, then the time. */
    void set(Fd fd, Pathname place, InodeAttributes attributes) throws ErrnoException {
        boolean known = attributes.mtimeNs() != InodeAttributes.DEFAULT_DIRECTORY.mtimeNs();
        if (known) {
            setOwner(place, () -> fd.chown(attributes.uid(), attributes.gid()));
        }
        fd.chmod(attributes.mode() & modeMask);
        if (known) {
            fd.setTimes(Long.MIN_VALUE, mtimeNs(attributes));
        }
    }

    /** Sets owner and time of a symbolic link, which has no mode. */
    void setOfLink(Directory parent, Pathname place, InodeAttributes attributes) throws ErrnoException {
        Pathname name = place.name();
        setOwner(place, () -> parent.chown(name, attributes.uid(), attributes.gid()));
        parent.setTimes(name, Long.MIN_VALUE, mtimeNs(attributes));
    }

    /** The two outermost numbers stand for other things to the call that sets times. */
    private static long mtimeNs(InodeAttributes attributes) {
        return Math.clamp(attributes.mtimeNs(), Long.MIN_VALUE + 1, Long.MAX_VALUE - 1);
    }

    private interface OwnerCall {
        void run() throws ErrnoException;
    }

    /** Only the superuser may give files away: for others they stay the caller's, which is no fault. */
    private void setOwner(Pathname place, OwnerCall call) throws ErrnoException {
        if (!maySetOwner) {
            return;
        }
        try {
            call.run();
        } catch (ErrnoException e) {
            if (e.errno() == Errno.EPERM) {
                maySetOwner = false;
            } else if (e.errno() == Errno.EINVAL) {
                counter.fault(place.toString(), "its owner does not exist here: " + e.getMessage());
            } else {
                throw e;
            }
        }
    }
}
