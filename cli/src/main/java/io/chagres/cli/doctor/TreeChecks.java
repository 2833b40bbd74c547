package io.chagres.cli.doctor;

import io.chagres.cli.ship.ShipPlan;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.Words;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import io.chagres.linux.ResourceLimit;
import io.chagres.ship.ShipPreview;
import java.io.IOException;
import java.util.List;

/** The checks of {@code doctor} that concern what is to be shipped: room for its size, and rights to read it. */
final class TreeChecks {
    private static final long PATIENCE_MS = 30_000;
    private static final String MAX_WATCHES = "/proc/sys/fs/inotify/max_user_watches";

    private final Diagnosis diagnosis;

    private final long patienceMs;

    /**
     * Prepares.
     *
     * @param leftMs how much time the command has, in milliseconds
     */
    TreeChecks(Diagnosis diagnosis, long leftMs) {
        this.diagnosis = diagnosis;
        patienceMs = Math.min(PATIENCE_MS, leftMs);
    }

    /** Looks at all that would be followed and returns its bytes. */
    long run(ShipPlan plan) throws IOException {
        try (ShipPreview preview = plan.preview(patienceMs)) {
            ShipPreview.FileCounts found = preview.look();
            diagnosis.expect(
                    preview.isWhole(),
                    "to ship",
                    Words.plural(found.files(), "file") + ", " + ByteSize.format(found.bytes())
                            + (preview.isWhole()
                                    ? ""
                                    : ", and more that was not seen within " + Durations.format(patienceMs)
                                            + ": what follows is only of these"),
                    "give it more time (--timeout), or look at a part of it");
            watches(preview.watches());
            descriptors(found.files());
            rights(preview.unreadable());
            return found.bytes();
        }
    }

    private void watches(long needed) {
        String text = Machine.read(MAX_WATCHES);
        long most = text.isEmpty() ? 0 : Long.parseLong(text);
        diagnosis.expect(
                needed * 2 <= most,
                "watches",
                needed + " of " + most + " needed by this tree; each user's programs share them",
                "sysctl -w fs.inotify.max_user_watches=" + Math.max(1_048_576, needed * 4));
    }

    private void descriptors(long files) {
        long most = ResourceLimit.openFilesHard();
        diagnosis.expect(
                most < 0 || files * 5 / 4 < most,
                "descriptors",
                files + " of " + (most < 0 ? "any number" : most) + " used if all are written at once",
                "LimitNOFILE=" + Math.max(65_536, files * 2)
                        + " in the unit; files over the limit are opened by turns");
    }

    private void rights(List<Pathname> unreadable) {
        diagnosis.expect(
                unreadable.isEmpty(),
                "rights",
                unreadable.isEmpty()
                        ? "everything can be read"
                        : Words.plural(unreadable.size(), "name") + " cannot be read, first " + unreadable.getFirst(),
                "AmbientCapabilities=CAP_DAC_READ_SEARCH in the unit, or a group of this user that may read them");
    }
}
