package io.chagres.cli.doctor;

import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.FileSystemId;
import io.chagres.linux.Pathname;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Checks whether this user can write an archive in a directory, and leaves nothing there: objects of somebody else may
 * keep out the user who ships.
 */
final class LocalArchive {
    /** vfat and exFAT: no file has two names, by statfs(2) f_type. */
    private static final Set<Long> NO_LINKS = Set.of(0x4D44L, 0x2011BAB0L);

    private static final List<String> FOLDERS = List.of("hosts", "names", "tmp");

    private final Diagnosis diagnosis;
    private final Pathname root;

    LocalArchive(Diagnosis diagnosis, Pathname root) {
        this.diagnosis = diagnosis;
        this.root = root;
    }

    /** Looks at the directory, or at the nearest existing one above it; says whether this user can write there. */
    boolean run() {
        Path place = Path.of(root.toString()).toAbsolutePath();
        while (!Files.exists(place) && place.getParent() != null) {
            place = place.getParent();
        }
        int why = refusal(Pathname.of(place.toString()));
        if (why != 0) {
            diagnosis.fail(
                    "archive write",
                    place + ": " + Errno.message(why),
                    "let this user write there; the packaged unit: systemctl edit chagres, and in [Service]"
                            + " ReadWritePaths=" + root);
            return false;
        }
        for (String folder : FOLDERS) {
            Path below = place.resolve(folder);
            if (Files.isDirectory(below) && !Files.isWritable(below)) {
                diagnosis.fail(
                        "archive write",
                        below + ": belongs to another user",
                        "chown -R --reference=" + place + " " + place);
                return false;
            }
        }
        boolean isRoot = "root".equals(System.getProperty("user.name"));
        diagnosis.ok(
                "archive write",
                "this user can make objects there"
                        + (isRoot ? "; 'sudo -u chagres chagres doctor' says it of the unit's" : ""));
        return true;
    }

    /** Returns the errno of what keeps this user from making files in a directory; 0 when nothing does. */
    private static int refusal(Pathname directory) {
        int opened = Fd.tryOpen(directory, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        if (opened < 0) {
            return -opened;
        }
        try (Fd fd = Fd.ofValue(opened)) {
            if (NO_LINKS.contains(FileSystemId.typeOf(fd.value()))) {
                return Errno.EOPNOTSUPP; // a commit could not be refused when another exists
            }
        }
        int temporary = Fd.tryOpen(directory, Fd.O_TMPFILE | Fd.O_RDWR, 0600);
        if (temporary >= 0) {
            Fd.ofValue(temporary).close();
            return 0;
        }
        boolean unknown = temporary == -Errno.EOPNOTSUPP || temporary == -Errno.EISDIR || temporary == -Errno.EINVAL;
        if (unknown) { // NFS has no files without names
            return Files.isWritable(Path.of(directory.toString())) ? 0 : Errno.EACCES;
        }
        return -temporary;
    }
}
