package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.ship.ModelOperation.Content;
import io.chagres.ship.ModelOperation.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Short runs in which {@link ShipModelTest} found a fault once. */
class ShipModelCasesTest {
    private static final ModelRun.Setting SETTING = new ModelRun.Setting(1000, 0, 1, Codec.ZSTD);

    @TempDir
    private Path temp;

    private static ModelOperation operation(Kind kind, int file, int other, int at, int length, Content content) {
        return new ModelOperation(kind, file, other, at, length, content);
    }

    /** Nothing in these runs is drawn at random but what bytes are written. */
    private void isRight(ModelRun.Setting setting, ModelOperation... operations) throws IOException {
        Path memory = Path.of("/dev/shm"); // where a store through a mapping changes no time
        Path base = Files.isWritable(memory) ? Files.createTempDirectory(memory, "chagres-model") : temp;
        try {
            assertThat(ModelRun.run(base, setting, List.of(operations))).isNull();
            assertThat(ModelRun.run(temp.resolve("on disk"), setting, List.of(operations)))
                    .isNull();
        } finally {
            ModelRun.remove(base);
        }
    }

    @Test
    void aWriteWithinTheShippedBytesTogetherWithGrowth() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 2, 0, 0, 8884, Content.LINES),
                operation(Kind.STEP, 0, 1, 0, 10, Content.LINES),
                operation(Kind.APPEND_AND_WRITE, 2, 0, 0, 10, Content.LINES));
    }

    @Test
    void growthAndThenAHoleWithinOneWindow() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 2, 2, 0, 22_993, Content.LINES),
                operation(Kind.STEP, 2, 0, 0, 10, Content.LINES),
                operation(Kind.APPEND, 2, 0, 0, 10, Content.LINES),
                operation(Kind.PUNCH, 2, 1, 0, 10, Content.LINES));
    }

    @Test
    void aStoreThroughAMappingThatIsClosedAfterIt() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 3, 0, 0, 10, Content.LINES),
                operation(Kind.STEP, 3, 3, 0, 10, Content.LINES),
                operation(Kind.MAP_STORE, 3, 0, 0, 10, Content.LINES));
    }

    @Test
    void aStoreThroughAMappingWhileAnotherFileIsMapped() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 2, 0, 0, 10, Content.LINES),
                operation(Kind.APPEND, 1, 0, 0, 10, Content.LINES),
                operation(Kind.MAP, 2, 4, 0, 10, Content.LINES),
                operation(Kind.STEP, 3, 3, 0, 10, Content.LINES),
                operation(Kind.MAP_STORE, 1, 1, 0, 10, Content.LINES));
    }

    @Test
    void aStoreThroughAMappingThatStaysOpen() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 2, 0, 0, 10, Content.LINES),
                operation(Kind.MAP, 2, 4, 0, 10, Content.LINES),
                operation(Kind.SETTLE, 2, 4, 0, 10, Content.LINES),
                operation(Kind.STORE, 2, 4, 0, 10, Content.LINES),
                operation(Kind.DRAIN, 2, 4, 0, 10, Content.LINES));
    }

    @Test
    void aChangeWhoseTimeIsSetBack() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 3, 17, 0, 10, Content.LINES),
                operation(Kind.STEP, 2, 14, 0, 10, Content.LINES),
                operation(Kind.LINK, 3, 14, 0, 10, Content.LINES),
                operation(Kind.TOUCH_BACK, 14, 16, 0, 10, Content.LINES));
    }

    @Test
    void aCopyOverAnOlderFileThatLooksLikeItsCopy() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 0, 1, 0, 10, Content.LINES),
                operation(Kind.STEP, 2, 0, 0, 10, Content.LINES),
                operation(Kind.APPEND, 1, 2, 0, 10, Content.LINES),
                operation(Kind.COPY, 1, 0, 0, 10, Content.LINES));
    }

    @Test
    void aFileThatIsChangedAndUnlinkedWithinOneWindow() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 0, 0, 0, 20_480, Content.LINES),
                operation(Kind.SETTLE, 1, 2, 0, 10, Content.LINES),
                operation(Kind.APPEND, 0, 1, 0, 10, Content.LINES),
                operation(Kind.WRITE, 0, 2, 0, 10, Content.LINES),
                operation(Kind.UNLINK, 0, 2, 0, 10, Content.LINES),
                operation(Kind.SETTLE, 0, 0, 0, 10, Content.LINES));
    }

    @Test
    void aCopyThatIsChangedAndThenReplacedByItsOriginal() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 0, 0, 0, 29_932, Content.LINES),
                operation(Kind.COPY, 0, 1, 0, 10, Content.LINES),
                operation(Kind.FLUSH, 0, 0, 0, 10, Content.LINES),
                operation(Kind.APPEND_AND_WRITE, 1, 0, 0, 10, Content.LINES),
                operation(Kind.RENAME, 0, 1, 0, 10, Content.LINES),
                operation(Kind.SETTLE, 0, 1, 0, 10, Content.LINES));
    }

    /** The clock goes back by more than an hour: commits and the status wait for it to come again. */
    @Test
    void aClockThatIsSetBack() throws IOException {
        isRight(
                SETTING,
                operation(Kind.STEP, 0, 2, 460, 10, Content.LINES),
                operation(Kind.CLOCK, 0, 3, 0, 10, Content.LINES),
                operation(Kind.APPEND, 2, 0, 0, 10, Content.LINES),
                operation(Kind.SETTLE, 2, 3, 0, 10, Content.LINES));
    }

    /** A refused commit waits for a time of day that is an hour away now. */
    @Test
    void aClockThatIsSetBackWhileTheStoreIsWaitedFor() throws IOException {
        isRight(
                SETTING,
                operation(Kind.STEP, 3, 1, 0, 10, Content.LINES),
                operation(Kind.APPEND, 2, 4, 0, 10, Content.LINES),
                operation(Kind.REFUSE, 1, 0, 0, 10, Content.LINES),
                operation(Kind.STEP, 2, 0, 823, 10, Content.LINES),
                operation(Kind.STEP, 2, 0, 0, 10, Content.LINES),
                operation(Kind.CLOCK, 4, 1, 0, 10, Content.LINES));
    }

    /** The lengths of long holes in bits need more than 32 bits; the file is not taken for rewritten. */
    @Test
    void aTouchedFileWithAHoleOfAGibibyte() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 0, 0, 0, 5000, Content.LINES),
                operation(Kind.HOLE, 0, 0, 0, 10, Content.LINES),
                operation(Kind.APPEND, 0, 0, 0, 5000, Content.LINES),
                operation(Kind.SETTLE, 0, 0, 0, 1, Content.LINES),
                operation(Kind.TOUCH, 0, 0, 0, 77, Content.LINES));
    }

    /** Events tell of a name that leads to another file by now, since its directory was renamed after it. */
    @Test
    void aFileThatIsMovedIntoADirectoryWhichIsExchangedAndReplacedThere() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 2, 2, 0, 10, Content.LINES),
                operation(Kind.STEP, 3, 1, 0, 10, Content.LINES),
                operation(Kind.RENAME, 2, 5, 0, 10, Content.LINES),
                operation(Kind.RENAME_DIRECTORY, 2, 4, 0, 10, Content.LINES),
                operation(Kind.APPEND, 5, 2, 0, 10, Content.LINES));
    }

    /** Only the copy has the last bytes of what was cut. */
    @Test
    void aCopyWithBytesThatWereNotShippedBeforeItsOriginalWasCut() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 0, 0, 0, 5000, Content.LINES),
                operation(Kind.SETTLE, 0, 0, 0, 1, Content.LINES),
                operation(Kind.APPEND_COPY_TRUNCATE, 0, 2, 0, 100, Content.LINES),
                operation(Kind.SETTLE, 0, 0, 0, 1, Content.LINES));
    }

    @Test
    void aFileSystemThatIsMountedWrittenToAndUnmounted() throws IOException {
        isRight(
                SETTING,
                operation(Kind.APPEND, 4, 0, 0, 100, Content.LINES),
                operation(Kind.SETTLE, 0, 0, 0, 1, Content.LINES),
                operation(Kind.MOUNT, 0, 0, 0, 1, Content.LINES),
                operation(Kind.APPEND, 4, 0, 0, 200, Content.LINES),
                operation(Kind.SETTLE, 0, 0, 0, 1, Content.LINES),
                operation(Kind.APPEND, 4, 0, 0, 300, Content.LINES),
                operation(Kind.UNMOUNT, 0, 0, 0, 1, Content.LINES),
                operation(Kind.SETTLE, 0, 0, 0, 1, Content.LINES));
    }

    /** Whose descriptor was given back is gone with its last bytes: that must be said. */
    @Test
    void filesThatEndWhileTheirDescriptorsAreGivenBack() throws IOException {
        List<ModelOperation> operations = new ArrayList<>();
        for (int file = 0; file < 12; file++) {
            operations.add(operation(Kind.APPEND, file, 0, 0, 500, Content.LINES));
        }
        operations.add(operation(Kind.SETTLE, 0, 0, 0, 1, Content.LINES));
        for (int file = 0; file < 12; file++) {
            operations.add(operation(Kind.APPEND, file, 0, 0, 50, Content.LINES));
            operations.add(operation(Kind.UNLINK, file, 0, 0, 1, Content.LINES));
        }
        operations.add(operation(Kind.SETTLE, 0, 0, 0, 1, Content.LINES));
        isRight(new ModelRun.Setting(4, 0, 1, Codec.ZSTD), operations.toArray(ModelOperation[]::new));
    }

    /** Zeros at its end wait when its descriptor is given back: they go with it, and that must be said. */
    @Test
    void aFileThatIsReplacedWhileItsZerosWaitAndItIsNotOpen() throws IOException {
        isRight(
                new ModelRun.Setting(2, 0, 1, Codec.ZSTD),
                operation(Kind.APPEND, 0, 4, 0, 10, Content.LINES),
                operation(Kind.SETTLE, 4, 0, 0, 10, Content.LINES),
                operation(Kind.OPEN, 4, 2, 0, 10, Content.LINES),
                operation(Kind.APPEND, 4, 3, 0, 10, Content.LINES_AND_ZEROS),
                operation(Kind.STEP, 1, 2, 0, 10, Content.LINES),
                operation(Kind.COPY_TRUNCATE, 0, 3, 0, 10, Content.LINES),
                operation(Kind.APPEND, 0, 1, 0, 10, Content.LINES_AND_ZEROS),
                operation(Kind.APPEND_AND_WRITE, 4, 0, 0, 10, Content.LINES),
                operation(Kind.STEP, 4, 2, 0, 10, Content.LINES),
                operation(Kind.APPEND, 1, 2, 0, 10, Content.LINES),
                operation(Kind.RENAME, 4, 0, 0, 10, Content.LINES));
    }
}
