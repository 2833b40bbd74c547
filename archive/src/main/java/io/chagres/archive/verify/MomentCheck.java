package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.state.Quarantine;
import java.io.IOException;
import java.util.List;

/**
 * Checks that the moments of commits that were removed are kept. A compaction keeps them for ever. Only a repair leaves
 * some out, and says so. Stateless.
 */
final class MomentCheck {
    private MomentCheck() {}

    /**
     * Checks a host.
     *
     * @param commits the numbers of those that there are, ascending
     * @param newest the number of the commit of the newest checkpoint; 0 for none
     * @param quarantine knows which moments are known to be lost
     */
    static void check(String hostId, List<Long> commits, long newest, Quarantine quarantine, VerifyCounter counter)
            throws IOException {
        for (CommitSpan gap : quarantine.untold(new CommitSpan(0, newest), false, CommitSpan.rows(commits))) {
            counter.fault(
                    ArchiveLayout.history(hostId),
                    "the history of " + gap + " is missing",
                    "'--at' shows some moments of that time as earlier ones, or not at all; nothing of now is lost");
        }
    }
}
