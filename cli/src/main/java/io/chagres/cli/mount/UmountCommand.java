package io.chagres.cli.mount;

import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseServer;
import io.chagres.linux.MountInfo;
import io.chagres.linux.Pathname;
import io.chagres.mount.ArchiveMount;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres umount}: ends what {@code chagres mount} began. */
@Command(
        name = "umount",
        header = "Unmount an archive.",
        description = "Ends the background process too. A mount whose process died is removed as well.",
        footer = {
            "",
            "Examples:",
            "  chagres umount /mnt/machines",
            "  chagres umount --lazy /mnt/machines",
            "",
            "Exit codes: 0 unmounted; 1 failed, for instance because somebody uses it; 2 usage."
        })
public final class UmountCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DIR", description = "Where the archive is mounted.")
    String directory = "";

    @Option(
            names = "--lazy",
            description = "Detach it now even if somebody uses it; those continue until they close their files.")
    boolean lazy;

    @Override
    public Integer call() throws IOException {
        Pathname place = Pathname.of(directory).absolute().normalized();
        String type = "";
        for (MountInfo mount : MountInfo.all()) {
            type = mount.mountPoint().equals(place) ? mount.type() : type;
        }
        if (!type.equals("fuse." + ArchiveMount.SUBTYPE)) {
            throw new CommandFailure(ExitCode.FAILED, directory + " is no mount of chagres");
        }
        try {
            FuseServer.unmount(place, lazy);
        } catch (ErrnoException e) {
            if (e.errno() == Errno.EBUSY) {
                throw new CommandFailure(
                        ExitCode.FAILED,
                        directory + " is in use; 'fuser -vm " + directory + "' shows by whom, --lazy detaches it all"
                                + " the same");
            }
            throw e;
        }
        return ExitCode.DONE;
    }
}
