package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.state.FileVersion;
import io.chagres.archive.store.StoreException;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.function.Predicate;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** While the store refuses nothing more is read, and everything is looked at all the same. */
@Tag("long")
@Order(1)
class OutageTest {
    private static final int FILLER_BYTES = 900_000;

    @TempDir
    Path temp;

    /** Lets the store refuse, and fills what is read ahead of it. */
    private static ShippedTree refusing(ShippedTree shipped) throws IOException {
        append(shipped.file("known"), random(1000, 1));
        shipped.settle();
        shipped.refuses = true;
        long bytes = 0;
        for (int i = 0; i < 6; i++) {
            append(shipped.file("filler" + i), random(FILLER_BYTES, i));
            bytes += FILLER_BYTES;
            until(shipped, bytes);
        }
        assertThat(shipped.shipper().status().storeTrouble()).isNotNull();
        return shipped;
    }

    /** Lets the store refuse the object of a large file. */
    private static ShippedTree refusingLarge(ShippedTree shipped, StoreException.Kind why) throws IOException {
        append(shipped.file("known"), random(1000, 1));
        shipped.settle();
        shipped.refusesObjects = why;
        append(shipped.file("large"), random(3 << 20, 2));
        until(shipped, "the store refuses", status -> status.storeTrouble() != null);
        return shipped;
    }

    private static void until(ShippedTree shipped, long riskBytes) throws IOException {
        until(shipped, riskBytes + " bytes are at risk", status -> status.riskBytes() == riskBytes);
    }

    private static void until(ShippedTree shipped, String what, Predicate<ShipStatus> condition) throws IOException {
        Shipper running = shipped.shipper();
        Await.steps(what, () -> {
            ShippedTree.step(running);
            return condition.test(running.status());
        });
    }

    /** Steps as often as it takes for whatever ends to end. */
    private static void rest(ShippedTree shipped) throws IOException {
        steps(shipped, 100);
    }

    private static void steps(ShippedTree shipped, int count) throws IOException {
        Shipper running = shipped.shipper();
        for (int i = 0; i < count; i++) {
            running.doWork(5);
        }
    }

    private static boolean holds(ShippedTree shipped, byte[] bytes) throws IOException {
        for (FileVersion version : shipped.load().versions()) {
            if (version.length() == bytes.length && Arrays.equals(shipped.content(version), bytes)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void whatComesAndGoesIsCountedAndShippedLater() throws IOException {
        try (ShippedTree shipped = refusing(new ShippedTree(temp))) {
            long before = shipped.shipper().status().riskBytes();
            byte[] bytes = random(5000, 7);
            append(shipped.file("short"), Arrays.copyOf(bytes, 2000));
            until(shipped, before + 2000);
            append(shipped.file("short"), Arrays.copyOfRange(bytes, 2000, 5000));
            until(shipped, before + 5000);
            Files.delete(shipped.file("short"));
            rest(shipped);
            assertThat(shipped.shipper().status().riskBytes()).isEqualTo(before + 5000);
            shipped.refuses = false;
            shipped.settle();
            assertThat(holds(shipped, bytes)).isTrue();
            assertThat(shipped.shipper().status().lost()).isEqualTo(Lost.NOTHING);
        }
    }

    /** Bytes that were written between the last look and the end of the last name. */
    @Test
    void whatIsWrittenBeforeTheLastNameGoesIsShippedLater() throws IOException {
        try (ShippedTree shipped = refusing(new ShippedTree(temp))) {
            Files.move(shipped.file("known"), shipped.file("known.1"), StandardCopyOption.ATOMIC_MOVE);
            append(shipped.file("known.1"), random(400, 8));
            byte[] whole = Files.readAllBytes(shipped.file("known.1"));
            Files.delete(shipped.file("known.1"));
            rest(shipped);
            shipped.refuses = false;
            shipped.settle();
            assertThat(holds(shipped, whole)).isTrue();
        }
    }

    /** Bytes whose descriptors do not fit the limit count while their name stands, and are named when it goes. */
    @Test
    void whatCannotBeHeldIsNamedAsLost() throws IOException {
        try (ShippedTree shipped = refusing(new ShippedTree(temp, 4))) {
            Shipper running = shipped.shipper();
            int count = 60;
            for (int i = 0; i < count; i++) {
                append(shipped.file("short" + i), random(100, i));
                steps(shipped, 5);
                Files.delete(shipped.file("short" + i));
                steps(shipped, 5);
            }
            rest(shipped);
            Lost lost = running.status().lost();
            assertThat(lost.files()).isBetween(1L, (long) count - 1);
            assertThat(lost.bytes()).isEqualTo(100 * lost.files());
            assertThat(lost.latest())
                    .contains(shipped.file("short" + (count - 1)).toString());
            shipped.refuses = false;
            until(shipped, lost.bytes());
            rest(shipped);
            long held = shipped.load().versions().stream()
                    .filter(version -> version.length() == 100)
                    .count();
            assertThat(held + lost.files()).isEqualTo(count);
            assertThat(running.status().riskBytes()).isEqualTo(lost.bytes());
            assertThat(running.metrics().text(false)).contains("chagres_lost_bytes_total " + lost.bytes());
        }
    }

    private static long said(ShippedTree shipped, String what) {
        return shipped.problems.stream().filter(each -> each.contains(what)).count();
    }

    /** A small commit would fit where a large object does not. */
    @Test
    void nothingOvertakesWhatAFullStoreRefused() throws IOException {
        try (ShippedTree shipped = refusingLarge(new ShippedTree(temp), StoreException.Kind.FULL)) {
            for (int i = 1; i <= 3; i++) {
                append(shipped.file("small" + i), random(1000, i));
                until(shipped, (3 << 20) + 1000L * i);
                rest(shipped);
                until(shipped, (3 << 20) + 1000L * i);
            }
            assertThat(said(shipped, "refuses")).isEqualTo(1);
            assertThat(said(shipped, "accepts again")).isZero();
            shipped.refusesObjects = null;
            shipped.settle().assertArchived();
            assertThat(said(shipped, "accepts again")).isEqualTo(1);
        }
    }

    /** A drain has no time to wait for room. */
    @Test
    void aDrainPutsWhatFitsAFullStore() throws IOException {
        try (ShippedTree shipped = refusingLarge(new ShippedTree(temp), StoreException.Kind.FULL)) {
            append(shipped.file("small"), random(1000, 3));
            until(shipped, (3 << 20) + 1000);
            shipped.shipper().requestFlush();
            until(shipped, 3 << 20);
            shipped.refusesObjects = null;
            shipped.settle().assertArchived();
        }
    }

    /** The rights to one prefix are missing: files that need none of its objects are shipped. */
    @Test
    void otherFilesAreShippedWhileTheObjectsOfOneAreForbidden() throws IOException {
        try (ShippedTree shipped = refusingLarge(new ShippedTree(temp), StoreException.Kind.LASTING)) {
            for (int i = 1; i <= 3; i++) {
                append(shipped.file("small" + i), random(1000, i));
                rest(shipped);
                until(shipped, 3 << 20);
                assertThat(shipped.shipper().status().storeTrouble()).isNotNull();
            }
            assertThat(said(shipped, "refuses")).isEqualTo(1);
            assertThat(said(shipped, "accepts again")).isZero();
            shipped.refusesObjects = null;
            shipped.settle().assertArchived();
        }
    }

    /** Nobody finds them again: the descriptors of the shipper were all that held them. */
    @Test
    void filesWithoutANameAreNamedWhenTheWatchEndsIt() throws IOException {
        try (ShippedTree shipped = refusingLarge(new ShippedTree(temp), StoreException.Kind.FULL)) {
            Files.delete(shipped.file("large"));
            rest(shipped);
            Shipper running = shipped.shipper();
            running.parts.watcher.close();
            assertThatThrownBy(() -> running.doWork(0)).isInstanceOf(IllegalStateException.class);
            assertThat(said(
                            shipped,
                            "large no longer has a name: its 3145728 bytes that are not acknowledged are lost"))
                    .isEqualTo(1);
        }
    }

    /** Its requests wait in calls that do not return, as in a directory whose server is gone. */
    @Test
    void aStoreThatDoesNotAnswerShowsInTheStatus() throws IOException {
        ModelClock clock = new ModelClock();
        Queue<Runnable> calls = new ArrayDeque<>();
        boolean[] hangs = {false};
        try (ShippedTree shipped = new ShippedTree(temp)) {
            shipped.clock = clock;
            shipped.workers = call -> {
                if (hangs[0]) {
                    calls.add(call);
                } else {
                    call.run();
                }
            };
            append(shipped.file("known"), random(1000, 1));
            until(shipped, clock, "everything is acknowledged", now -> now.riskBytes() == 0);
            for (int bytes : new int[] {1000, 3 << 20}) {
                hangs[0] = true;
                append(shipped.file("f" + bytes), random(bytes, 2));
                until(shipped, clock, "the store is asked", now -> !calls.isEmpty());
                clock.advance(100_000);
                until(shipped, clock, "the status says so", now -> now.storeTrouble() != null);
                ShipStatus silent = shipped.shipper().status();
                assertThat(silent.storeTrouble()).startsWith("has not answered for 100 s");
                assertThat(silent.riskMs()).isGreaterThanOrEqualTo(100_000);
                hangs[0] = false;
                calls.forEach(Runnable::run);
                calls.clear();
                until(shipped, clock, "everything is acknowledged", now -> now.riskBytes() == 0);
                assertThat(shipped.shipper().status().storeTrouble()).isNull();
            }
            assertThat(said(shipped, "has not answered for")).isEqualTo(2);
            assertThat(said(shipped, "accepts again")).isEqualTo(2);
            shipped.assertArchived();
        }
    }

    private static void until(ShippedTree shipped, ModelClock clock, String what, Predicate<ShipStatus> condition)
            throws IOException {
        until(shipped, what, status -> {
            clock.advance(10);
            return condition.test(status);
        });
    }
}
