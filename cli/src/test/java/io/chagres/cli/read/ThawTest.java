package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.ObjectKind;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Workers;
import io.chagres.archive.restore.Restore;
import io.chagres.archive.restore.RestoreNameless;
import io.chagres.archive.restore.RestoreOptions;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.ArchiveTier;
import io.chagres.archive.store.ArchivedBlob;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.ThawClass;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.linux.Pathname;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a restore needs of an archive tier is asked for, and nothing else, by somebody who knows that it costs. */
@Tag("long")
final class ThawTest {
    @TempDir
    Path directory;

    private final Set<String> cold = new ConcurrentSkipListSet<>();
    private final Map<String, ThawClass> asked = new ConcurrentHashMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final CommandContext context = CommandContext.of(out, err, List.of());
    private ForwardingStore store;

    @BeforeEach
    void ship() throws IOException {
        Path logs = Files.createDirectories(directory.resolve("logs"));
        for (String each : List.of("a", "b", "c")) { // a commit for each
            Files.writeString(logs.resolve(each), each.repeat(100));
            CommandRun.of(
                    "ship",
                    logs.toString(),
                    "--to",
                    directory + "/archive",
                    "--host",
                    "web1",
                    "--once",
                    "--state",
                    directory + "/state");
        }
        store = new ColdStore(DirectoryStore.open(Pathname.of(directory + "/archive"), false));
    }

    private final class ColdStore extends ForwardingStore implements ArchiveTier {
        ColdStore(BlobStore store) {
            super(store);
        }

        @Override
        public int get(String key, long offset, MemorySegment target) throws IOException {
            if (cold.contains(key)) {
                throw new StoreException(key + ": cold", new IOException(), StoreException.Kind.ARCHIVED);
            }
            return super.get(key, offset, target);
        }

        @Override
        public @Nullable ArchivedBlob find(String key) throws IOException {
            return cold.contains(key)
                    ? new ArchivedBlob(key, store.size(key), "GLACIER", asked.containsKey(key))
                    : null;
        }

        @Override
        public void thaw(ArchivedBlob blob, ThawClass thawClass, int days) {
            assertThat(asked.put(blob.key(), thawClass)).as("asked twice").isNull();
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void freeze(Predicate<String> which) throws IOException {
        for (BlobInfo each : BlobList.all(store, ArchiveLayout.HOSTS, null)) {
            if (which.test(each.key())) {
                cold.add(each.key());
            }
        }
    }

    private static ThawOptions options(boolean yes) {
        ThawOptions options = new ThawOptions();
        options.thaw = true;
        options.yes = yes;
        options.thawClass = ThawClass.BULK;
        return options;
    }

    private void thaw(ThawOptions options, @Nullable String address) throws IOException {
        options.thaw(store, objects(address), context, false);
    }

    private Set<String> objects(@Nullable String address) throws IOException {
        try (LocalTables tables = TemporaryFiles.tables(Map.of())) {
            RestoreOptions what = new RestoreOptions(
                    address == null ? null : Address.parse(address),
                    PointInTime.NOW,
                    true,
                    RestoreNameless.NONE,
                    false,
                    false,
                    false,
                    version -> true);
            return new Restore(store, what, tables, Workers.NONE, (subject, cause) -> {
                        throw new AssertionError(subject + ": " + cause);
                    })
                    .objects();
        }
    }

    private static boolean isCommit(String key) {
        return ArchiveLayout.kindOf(key) == ObjectKind.COMMIT;
    }

    @Test
    void asksForNothingWhereEverythingCanBeRead() {
        assertThatCode(() -> thaw(options(false), null)).doesNotThrowAnyException();
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void asksForNothingBeforeSomebodySaysYes() throws IOException {
        CommandRun.of("compact", directory + "/archive", "--grace", "0");
        freeze(ArchiveLayout::isData);
        assertThat(cold).isNotEmpty();
        assertThatThrownBy(() -> thaw(options(false), null))
                .isInstanceOfSatisfying(CommandFailure.class, failure -> assertThat(failure.exitCode())
                        .isEqualTo(ExitCode.FAILED))
                .hasMessageContaining("--yes");
        assertThat(asked).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains(cold.size() + " object", "archive tier (GLACIER)", "That costs", "class 'bulk'", "7 days");
    }

    @Test
    void asksOnceForWhatIsNeededAndLetsTheRestoreBeginWhenItIsThere() throws IOException {
        CommandRun.of("compact", directory + "/archive", "--grace", "0");
        freeze(ArchiveLayout::isData);
        for (int run = 0; run < 2; run++) {
            assertThatThrownBy(() -> thaw(options(true), null))
                    .isInstanceOfSatisfying(CommandFailure.class, failure -> assertThat(failure.exitCode())
                            .isEqualTo(ExitCode.AWAITED))
                    .hasMessageContaining("Run the same command again");
        }
        assertThat(asked.keySet()).isEqualTo(cold);
        assertThat(asked.values()).containsOnly(ThawClass.BULK);
        cold.clear();
        assertThatCode(() -> thaw(options(true), null)).doesNotThrowAnyException();
    }

    /** Each file lies in a commit of its own, beside records that every reader of the host needs. */
    @Test
    void asksForNothingThatWasNotSelected() throws IOException {
        Set<String> all = objects(null);
        Set<String> one = objects("web1:" + directory.resolve("logs/b"));
        assertThat(one).hasSize(1);
        assertThat(all).hasSizeGreaterThan(1).containsAll(one);
        assertThat(objects("web1:/nothing")).isEmpty();
        assertThat(objects("web2:")).isEmpty();
    }

    /** What lies in data objects is asked for once the log says what of it is needed. */
    @Test
    void asksForTheRecordsOfAHostFirstWhereAllOfItIsArchived() throws IOException {
        CommandRun.of("compact", directory + "/archive", "--grace", "0");
        freeze(key -> true);
        assertThatThrownBy(() -> thaw(options(true), "web1:" + directory.resolve("logs/b")))
                .isInstanceOf(CommandFailure.class);
        assertThat(asked.keySet()).isNotEmpty().noneMatch(ArchiveLayout::isData);
        cold.removeAll(asked.keySet());
        asked.clear();
        assertThatThrownBy(() -> thaw(options(true), "web1:" + directory.resolve("logs/b")))
                .isInstanceOf(CommandFailure.class);
        assertThat(asked.keySet()).hasSize(1).allMatch(ArchiveLayout::isData);
    }

    /** Nobody knows what a host has before its commits can be read. */
    @Test
    void asksForTheCommitsOfAHostFirstWhereTheyAreArchived() throws IOException {
        freeze(ThawTest::isCommit);
        assertThatThrownBy(() -> thaw(options(true), "web1:/nothing")).isInstanceOf(CommandFailure.class);
        assertThat(asked.keySet()).isEqualTo(cold);
    }
}
