package io.chagres.cli.doctor;

import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.FileHandle;
import io.chagres.linux.FileSystemId;
import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import java.util.Objects;

/** The checks of {@code doctor} that concern directories and the archive. */
final class DirectoryChecks {
    private final Diagnosis diagnosis;

    DirectoryChecks(Diagnosis diagnosis) {
        this.diagnosis = diagnosis;
    }

    /** Checks a path that is to be shipped: can it be read, does it raise events, how are its files identified. */
    void source(Pathname path) {
        if (Glob.isPattern(path.toString())) {
            return; // what matches is looked at with the tree
        }
        String check = "source " + path;
        int opened = Fd.tryOpen(path, Fd.O_RDONLY | Fd.O_NONBLOCK, 0);
        if (opened < 0) {
            boolean missing = opened == -Errno.ENOENT || opened == -Errno.ENOTDIR;
            diagnosis.fail(
                    check,
                    Errno.message(-opened),
                    missing
                            ? "correct the path; what does not exist yet is followed as soon as it does"
                            : "let this user read it: AmbientCapabilities=CAP_DAC_READ_SEARCH in the unit, or a group");
            return;
        }
        try (Fd fd = Fd.ofValue(opened)) {
            long type = FileSystemId.typeOf(fd.value());
            String system = FileSystemId.nameOf(type);
            events(check, type, system);
            identity(check, fd, system);
        }
    }

    /** Checks that the state directory, or the place where it would be made, can be written. */
    void state(Pathname path) {
        Pathname existing = path;
        int opened = tryOpenDirectory(existing);
        while (opened == -Errno.ENOENT && existing.parent() != null) {
            existing = Objects.requireNonNull(existing.parent());
            opened = tryOpenDirectory(existing);
        }
        if (opened < 0) {
            cannotWrite(path, existing, -opened);
            return;
        }
        Fd.ofValue(opened).close();
        int temporary = Fd.tryOpen(existing, Fd.O_TMPFILE | Fd.O_RDWR, 0600);
        if (temporary >= 0) {
            Fd.ofValue(temporary).close();
        }
        if (temporary >= 0 || temporary == -Errno.EOPNOTSUPP || temporary == -Errno.EISDIR) {
            diagnosis.ok("state", path.equals(existing) ? path.toString() : path + " (will be made)");
        } else {
            cannotWrite(path, existing, -temporary);
        }
    }

    private void events(String check, long type, String system) {
        boolean events = FileSystemId.raisesEvents(type);
        diagnosis.expect(
                events,
                check,
                system + (events ? ", raises events" : ", raises no events: it is polled each second"),
                "ship on the machine that writes the files, or choose the interval with --poll");
    }

    private void identity(String check, Fd fd, String system) {
        int result;
        try (FileHandle handle = new FileHandle()) {
            result = handle.of(fd.value());
        }
        diagnosis.expect(
                result >= 0,
                check,
                result >= 0
                        ? "files are identified by handle and generation"
                        : system + " has no file handles (" + Errno.message(-result)
                                + "): inode and birth time are used",
                "nothing is needed unless files are deleted and created again within one clock tick");
    }

    private void cannotWrite(Pathname path, Pathname place, int errno) {
        diagnosis.fail(
                "state",
                path + " cannot be written: " + place + ": " + Errno.message(errno),
                "choose another with --state DIR, or make it writable");
    }

    private static int tryOpenDirectory(Pathname path) {
        return Fd.tryOpen(path, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
    }
}
