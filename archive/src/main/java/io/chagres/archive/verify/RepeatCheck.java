package io.chagres.archive.verify;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.Repeats;
import java.util.ArrayDeque;
import java.util.zip.CRC32C;

/** Compares what commits say once more of those before them with what those are. Confined to one thread. */
final class RepeatCheck {
    private record Own(long seq, long timeMs, int length, int crc) {}

    private final ArrayDeque<Own> recent = new ArrayDeque<>();

    /**
     * Takes the next commit that can be read.
     *
     * @throws CorruptArchiveException when it says something else of an earlier one than that one does
     */
    void next(CommitHeader commit) throws CorruptArchiveException {
        Own own = own(Repeats.sayable(commit));
        try {
            for (LogRecord.Repeated repeated : Repeats.of(commit)) {
                Own said = own(repeated);
                if (recent.stream().anyMatch(there -> there.seq == said.seq && !there.equals(said))) {
                    throw new CorruptArchiveException(
                            commit.object(), "it says something else of commit " + said.seq + " than that one does");
                }
            }
        } finally {
            recent.add(own);
            if (recent.size() > Repeats.LONGEST) {
                recent.remove();
            }
        }
    }

    private static Own own(LogRecord.Repeated commit) {
        CRC32C crc = new CRC32C();
        crc.update(commit.records());
        return new Own(commit.seq(), commit.timeMs(), commit.records().length, (int) crc.getValue());
    }
}
