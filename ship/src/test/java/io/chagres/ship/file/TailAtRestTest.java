package io.chagres.ship.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.InodeAttributes;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.Dentry;
import io.chagres.watch.DirectoryWatcher;
import io.chagres.watch.FileIdentity;
import io.chagres.watch.WatchListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that rests keeps the facts that somebody needs, and nothing else. */
class TailAtRestTest {
    private static final long MTIME_NS = 5_000_000_001L;
    private static final long CTIME_NS = 6_000_000_001L;
    private static final long LATER_MS = 1_000_000;
    private static final int GUARD = 77;

    @TempDir
    Path temp;

    private final PrefixChecksums prefix = new PrefixChecksums(0);
    private final FileTable table = new FileTable();
    private Tail tail;
    private Dentry name;

    @BeforeEach
    void follow() throws IOException {
        Files.createFile(temp.resolve("f"));
        List<Dentry> names = new ArrayList<>();
        WatchListener listener = new WatchListener() {
            @Override
            public void appeared(Dentry d) {
                names.add(d);
            }

            @Override
            public void problem(Pathname path, String what, int errno) {}
        };
        try (DirectoryWatcher watcher = DirectoryWatcher.builder(
                        Pathname.of(temp.resolve("f").toString()))
                .clock(InstantSource.system())
                .open()) {
            do {
                watcher.poll(0, listener);
            } while (watcher.scanning());
        }
        SourceVolume volume = table.volume(new FileIdentity(1, 2, 4, 5), 3);
        tail = new Tail(1, volume, 4, 5, prefix, Origins.NONE, new Rules(1000, Codec.ZSTD));
        table.put(tail);
        table.pollFresh();
        volume.moving().poll();
        name = names.getLast();
        name.attach(tail);
        tail.addName(name);
        tail.recorded(new InodeAttributes(0644, 1000, 100, MTIME_NS));
    }

    /** The file was changed at a time, looked at, read, and is acknowledged. */
    private void ship(long lengthBytes, int crc) {
        long end = tail.position() + lengthBytes;
        tail.bytes().observe(end, MTIME_NS, CTIME_NS, 2, LATER_MS);
        tail.bytes().tell(true);
        tail.advance(lengthBytes, crc);
        tail.bytes().guard(GUARD);
        tail.bytes().acknowledge(end, 3);
    }

    private void assertIsAsItWas(long end, int lastCrc) {
        assertThat(tail.position()).isEqualTo(end);
        assertThat(tail.size()).isEqualTo(end);
        assertThat(tail.mtimeNs()).isEqualTo(MTIME_NS);
        assertThat(tail.hasMoved(end, MTIME_NS, CTIME_NS)).isFalse();
        assertThat(tail.hasMoved(end, MTIME_NS, CTIME_NS + 1)).isTrue();
        assertThat(tail.riskBytes()).isZero();
        assertThat(tail.mayHoldMore()).isFalse();
        Verification bytes = tail.bytes();
        assertThat(tail.isResting()).isFalse();
        assertThat(bytes.position()).isEqualTo(end);
        assertThat(bytes.acknowledged()).isEqualTo(end);
        assertThat(bytes.dispatched()).isEqualTo(end);
        assertThat(bytes.hasMoved(end, MTIME_NS, CTIME_NS)).isFalse();
        assertThat(bytes.isToldByTimes()).isTrue();
        assertThat(bytes.unprovenBytes()).isZero();
        assertThat(bytes.isUnseen()).isFalse();
        assertThat(bytes.hasGuard()).isTrue();
        assertThat(bytes.guardCrc()).isEqualTo(GUARD);
        assertThat(bytes.prefix().pieceCrc(bytes.prefix().pieces() - 1)).isEqualTo(lastCrc);
        assertThat(tail.recorded()).isEqualTo(new InodeAttributes(0644, 1000, 100, MTIME_NS));
    }

    @Test
    void aSmallFileIsAsItWas() {
        ship(100, 42);
        tail.rest(LATER_MS);
        assertThat(tail.isResting()).isTrue();
        assertIsAsItWas(100, 42);
    }

    @Test
    void itsFileSystemKnowsTheSumOfWhatRests() {
        SourceVolume volume = tail.volume();
        ship(100, 42);
        assertThat(volume.restingBytes()).isZero();
        tail.rest(LATER_MS);
        assertThat(volume.restingBytes()).isEqualTo(100);
        tail.bytes();
        assertThat(volume.restingBytes()).isZero();
        assertThat(volume.moving()).containsExactly(tail);
        tail.rest(LATER_MS);
        tail.enter(Stage.Over.DONE);
        assertThat(volume.restingBytes()).isZero();
    }

    @Test
    void aLargeFileKeepsTheChecksumsOfItsPieces() {
        ship(PrefixChecksums.PIECE_BYTES, 41);
        ship(100, 42);
        tail.rest(LATER_MS);
        assertThat(tail.isResting()).isTrue();
        assertIsAsItWas(PrefixChecksums.PIECE_BYTES + 100, 42);
        assertThat(tail.bytes().prefix().pieceCrc(0)).isEqualTo(41);
    }

    /** A change of a file that rested is noticed as before. */
    @Test
    void whatChangesAfterwardsIsUnprovenAndAtRisk() {
        ship(100, 42);
        tail.rest(LATER_MS);
        tail.bytes().observe(150, MTIME_NS + 1, CTIME_NS + 1, LATER_MS, LATER_MS);
        assertThat(tail.riskBytes()).isEqualTo(50);
        assertThat(tail.bytes().unprovenBytes()).isEqualTo(100);
        assertThat(tail.isToldByTimes()).isFalse();
        tail.rest(2 * LATER_MS);
        assertThat(tail.isResting()).isFalse();
    }

    @Test
    void whatIsToBeComparedFirstStaysSo() {
        tail.bytes().compareFirst(Verification.Before.LAST_PIECES, MTIME_NS, Long.MAX_VALUE, true);
        ship(100, 42);
        tail.rest(LATER_MS);
        assertThat(tail.isResting()).isTrue();
        assertThat(tail.bytes().comparesFirst()).isEqualTo(Verification.Before.LAST_PIECES);
    }

    /** Gives up the object, where a look at the times says enough; returns whether it did. */
    private boolean giveUp() {
        tail.rest(LATER_MS);
        table.settle();
        return name.attachment() != tail;
    }

    private boolean knowsThatTimesTell() throws ErrnoException {
        try (Fd here = Fd.open(Pathname.of(Path.of("").toAbsolutePath().toString()), Fd.O_RDONLY, 0)) {
            return tail.volume().timesStores(here);
        }
    }

    @Test
    void whatIsMadeOfTheRowIsAsItWas() throws ErrnoException {
        boolean tell = knowsThatTimesTell();
        tail.head(9);
        tail.bytes().compareFirst(Verification.Before.LAST_PIECES, MTIME_NS, Long.MAX_VALUE, true);
        ship(PrefixChecksums.PIECE_BYTES, 41);
        ship(100, 42);
        assertThat(giveUp()).isEqualTo(tell);
        Tail before = tail;
        tail = Objects.requireNonNull(Tail.of(name));
        assertThat(tail == before).isEqualTo(!tell);
        assertThat(table.find(tail.identity(), 3)).isSameAs(tail);
        assertThat(table.all()).containsExactly(tail);
        assertThat(tail.isResting()).isTrue();
        assertThat(tail.names()).containsExactly(name);
        assertThat(tail.versionId).isEqualTo(1);
        assertThat(tail.hasHead()).isTrue();
        assertThat(tail.headCrc()).isEqualTo(9);
        assertThat(tail.stage()).isEqualTo(Stage.FOUND);
        assertThat(tail.bytes().comparesFirst()).isEqualTo(Verification.Before.LAST_PIECES);
        assertThat(tail.bytes().prefix().pieceCrc(0)).isEqualTo(41);
        assertIsAsItWas(PrefixChecksums.PIECE_BYTES + 100, 42);
    }

    @Test
    void anObjectThatSomebodyHoldsIsNotGivenUp() throws ErrnoException {
        knowsThatTimesTell();
        ship(100, 42);
        FileQueue queue = new FileQueue(FileQueue.For.DESCRIPTOR);
        queue.add(tail);
        assertThat(giveUp()).isFalse();
        queue.poll();
        tail.set(TailFact.HELD, true);
        assertThat(giveUp()).isFalse();
        assertThat(table.objects()).containsExactly(tail);
    }

    @Test
    void aRowIsAnotherVersionsOnceItsOwnIsOver() {
        ship(100, 42);
        int row = tail.row();
        tail.enter(Stage.Over.DONE);
        table.remove(tail);
        assertThat(tail.row()).isNegative();
        assertThat(table.isUsed(row)).isFalse();
        assertThat(table.size()).isZero();
        Tail next = new Tail(2, tail.volume(), 4, 5, new PrefixChecksums(0), Origins.NONE, tail.rules());
        table.put(next);
        assertThat(next.row()).isEqualTo(row);
        assertThat(table.current(tail)).isSameAs(next);
    }

    @Test
    void blocksWithoutAFileAreGivenUp() {
        List<Tail> more = new ArrayList<>();
        for (int i = 0; i < 2 * FileBlock.ROWS; i++) {
            Tail next = new Tail(2 + i, tail.volume(), 10 + i, 5, new PrefixChecksums(0), Origins.NONE, tail.rules());
            table.put(next);
            more.add(next);
        }
        int last = more.getLast().row();
        assertThat(table.blocks()).isEqualTo(3);
        for (Tail each : more.reversed()) {
            each.enter(Stage.Over.DONE);
            table.remove(each);
        }
        assertThat(table.blocks()).isEqualTo(1);
        assertThat(table.isUsed(last)).isFalse();
        table.put(new Tail(1000, tail.volume(), 9, 5, new PrefixChecksums(0), Origins.NONE, tail.rules()));
        assertThat(table.all()).hasSize(2);
    }

    @Test
    void aFileThatSomebodyWaitsForDoesNotRest() {
        ship(100, 42);
        FileQueue queue = new FileQueue(FileQueue.For.TURN);
        queue.add(tail);
        tail.rest(LATER_MS);
        assertThat(tail.isResting()).isFalse();
        queue.poll();
        tail.set(TailFact.TOUCHED, true);
        tail.rest(LATER_MS);
        assertThat(tail.isResting()).isFalse();
        tail.set(TailFact.TOUCHED, false);
        tail.rest(LATER_MS);
        assertThat(tail.isResting()).isTrue();
    }

    /** Nothing proves that its bytes are what was shipped, or the store has not got them. */
    @Test
    void aFileThatIsOwedDoesNotRest() {
        ship(100, 42);
        tail.bytes().tell(false);
        tail.rest(LATER_MS);
        assertThat(tail.isResting()).isFalse();
        tail.bytes().tell(true);
        tail.advance(0, 0);
        tail.bytes().observe(150, MTIME_NS, CTIME_NS, 4, LATER_MS);
        tail.rest(LATER_MS);
        assertThat(tail.isResting()).isFalse();
    }

    @Test
    void aFileThatChangedLatelyDoesNotRest() {
        tail.bytes().observe(0, MTIME_NS, CTIME_NS, LATER_MS, CTIME_NS / 1_000_000 + 100);
        tail.bytes().tell(true);
        tail.rest(LATER_MS + 100);
        assertThat(tail.isResting()).isFalse();
        tail.rest(2 * LATER_MS);
        assertThat(tail.isResting()).isTrue();
    }
}
