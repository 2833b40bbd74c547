package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.linux.Pathname;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A commit that a reader would refuse is not put. */
class CommitCheckTest {
    private static final LogRecord.ZeroRun TEN = new LogRecord.ZeroRun(2, 0, 10, 0);

    private static CommitCheck apply(LogRecord... records) throws CorruptArchiveException {
        CommitCheck check = new CommitCheck();
        apply(check, records);
        return check;
    }

    private static void apply(CommitCheck check, LogRecord... records) throws CorruptArchiveException {
        try (CommitBuilder commit = new CommitBuilder(1 << 20, 1)) {
            for (LogRecord record : records) {
                commit.records().write(record);
            }
            check.apply(commit);
        }
    }

    @Test
    void takesACopyOfANewerVersionThatIsInTheLogBefore() throws CorruptArchiveException {
        CommitCheck check = apply(Samples.version(1, "/a.1"), Samples.version(2, "/a"), TEN);
        apply(check, new LogRecord.CopyRun(1, 0, 10, 2, 0, 0, 0));
        apply(check, new LogRecord.CopyRun(2, 10, 5, 2, 5, 0, 0), new LogRecord.ZeroRun(1, 10, 1, 0));
        assertThat(check).isNotNull();
    }

    @Test
    void refusesWhatAReaderWouldRefuse() throws CorruptArchiveException {
        LogRecord bad = new LogRecord.NameMoved(Pathname.of("/a"), Pathname.of("b/../c"));
        for (LogRecord record : List.of(
                new LogRecord.CopyRun(1, 0, 11, 2, 0, 0, 0),
                new LogRecord.CopyRun(1, 0, 1, 3, 0, 0, 0),
                new LogRecord.CopyRun(2, 10, 1, 2, 10, 0, 0),
                new LogRecord.ZeroRun(2, 11, 1, 0),
                new LogRecord.ZeroRun(3, 0, 1, 0),
                new LogRecord.Run(2, 10, 1, 0, 0, 0, 0),
                new LogRecord.VersionClosed(3, LogRecord.Reason.GONE),
                new LogRecord.Retention(9, 0),
                Samples.version(2, "/b"),
                bad)) {
            CommitCheck check = apply(Samples.version(1, "/a.1"), Samples.version(2, "/a"), TEN);
            assertThatThrownBy(() -> apply(check, record))
                    .as(record.toString())
                    .isInstanceOf(CorruptArchiveException.class);
        }
    }

    /** Ids that follow each other, and gaps; those with an odd number begin at byte 1. */
    private static CommitCheck ofLogBefore() {
        CommitCheck check = new CommitCheck();
        for (long id = 1; id < 100; id++) {
            if (id % 10 > 2) {
                check.add(id, id % 2, 10);
            }
        }
        return check;
    }

    @Test
    void knowsTheVersionsOfALogBefore() throws CorruptArchiveException {
        for (long id = 0; id <= 100; id++) {
            LogRecord copy = new LogRecord.CopyRun(id, 10, 9, id, 1, 0, 0);
            LogRecord begin = new LogRecord.CopyRun(id, 10, 9, id, 0, 0, 0);
            boolean isThere = id > 2 && id < 100 && id % 10 > 2;
            for (LogRecord each : List.of(copy, begin)) {
                if (isThere && (each == copy || id % 2 == 0)) {
                    apply(ofLogBefore(), each);
                } else {
                    assertThatThrownBy(() -> apply(ofLogBefore(), each)).isInstanceOf(CorruptArchiveException.class);
                }
            }
        }
    }

    @Test
    void takesNoIdAgain() throws CorruptArchiveException {
        CommitCheck check = ofLogBefore();
        apply(check, Samples.version(100, "/a"), Samples.version(200, "/b"), new LogRecord.ZeroRun(200, 0, 1, 0));
        assertThatThrownBy(() -> apply(check, Samples.version(150, "/c"))).isInstanceOf(CorruptArchiveException.class);
    }
}
