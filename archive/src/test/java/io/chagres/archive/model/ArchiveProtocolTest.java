package io.chagres.archive.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Share;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tries every interleaving, up to a depth, of two shippers, two compactors, a repair, hardware that fails, a thief and
 * a store whose lists lag or lie, from several beginnings. What was acknowledged is read or named as lost, and only
 * hardware lost it. Each precaution of the protocol is left out once, and the model notices.
 */
@Tag("long")
class ArchiveProtocolTest {
    /** Where a search begins. */
    private enum Start {
        /** There is nothing. */
        EMPTY(),
        /** One commit was acknowledged. */
        SHIPPED("shipper 0 begins behind commit 0", "shipper 0 seals a commit 1", "shipper 0 puts commit 1"),
        /** Two were. */
        SHIPPED_TWICE(
                "shipper 0 begins behind commit 0",
                "shipper 0 seals a commit 1",
                "shipper 0 puts commit 1",
                "shipper 0 seals a commit 2",
                "shipper 0 puts commit 2"),
        /** One was, and there is a checkpoint of it. */
        COMPACTED(
                "shipper 0 begins behind commit 0",
                "shipper 0 seals a commit 1",
                "shipper 0 puts commit 1",
                "compactor 0 packs up to commit 1",
                "compactor 0 looks for others",
                "compactor 0 puts checkpoint 1-0",
                "compactor 0 marks its checkpoint"),
        /** That is old enough to stand for the commit. */
        OLD(
                "shipper 0 begins behind commit 0",
                "shipper 0 seals a commit 1",
                "shipper 0 puts commit 1",
                "compactor 0 packs up to commit 1",
                "compactor 0 looks for others",
                "compactor 0 puts checkpoint 1-0",
                "compactor 0 marks its checkpoint",
                "a day passes"),
        /** The commit is gone, and another shipper continues. */
        SWEPT(
                "shipper 0 begins behind commit 0",
                "shipper 0 seals a commit 1",
                "shipper 0 puts commit 1",
                "compactor 0 packs up to commit 1",
                "compactor 0 looks for others",
                "compactor 0 puts checkpoint 1-0",
                "compactor 0 marks its checkpoint",
                "a day passes",
                "compactor 0 finds nothing to pack",
                "compactor 0 lists commits 2 and packs 2",
                "compactor 0 decides by 1 checkpoints",
                "compactor 0 removes commit 1"),
        /** A shipper is about to put a commit that another put before it, and that is in an old checkpoint. */
        OVERTAKEN(
                "shipper 0 begins behind commit 0",
                "shipper 0 seals a commit 1",
                "shipper 1 begins behind commit 0",
                "shipper 1 seals a commit 1",
                "shipper 1 puts commit 1",
                "compactor 0 packs up to commit 1",
                "compactor 0 looks for others",
                "compactor 0 puts checkpoint 1-0",
                "compactor 0 marks its checkpoint",
                "a day passes",
                "compactor 0 finds nothing to pack");

        private final String[] steps;

        Start(String... steps) {
            this.steps = steps;
        }

        World world(int thefts, int faults, int lies) {
            World world = new World();
            world.allow(thefts, faults, lies);
            for (String step : steps) {
                world = WorldSearch.step(world, step);
            }
            return world;
        }
    }

    /** Says whether the whole of a long search is tried. */
    private static boolean isWhole() {
        return Share.count(10) == 10;
    }

    private static void requireNothing(Start start, int thefts, int faults, int lies, int depth) {
        WorldSearch search = new WorldSearch(Weakness.NONE);
        assertThat(search.broken(start.world(thefts, faults, lies), isWhole() ? depth + 3 : depth))
                .isNull();
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLost(Start start) {
        requireNothing(start, 0, 0, 0, 8);
        requireNothing(start, 1, 1, 0, 5);
        requireNothing(start, 0, 1, 1, 6);
    }

    @ParameterizedTest
    @CsvSource({
        "REMOVES_BEFORE_CHECKPOINT, SHIPPED, 0, 0, 3",
        "NO_READ_BACK, OLD, 0, 1, 6",
        "BELIEVES_CHECKPOINT, SHIPPED, 1, 0, 8",
        "BELIEVES_TABLE, SHIPPED, 1, 0, 10",
        "NO_COMPARISON_WITH_HISTORY, SWEPT, 1, 1, 3",
        "BELIEVES_ANY_COMMIT, SWEPT, 1, 0, 8",
        "TAKES_ANY_COMMIT, EMPTY, 0, 0, 8",
        "NO_LOOK_AFTER_SLEEP, OVERTAKEN, 0, 0, 8",
        "NO_LOOK_AFTER_PUT, OVERTAKEN, 0, 0, 8",
        "KEPT_WITHOUT_MARK, COMPACTED, 1, 1, 5",
        "REPAIR_PUTS_NOTHING, SHIPPED, 0, 1, 6"
    })
    void whatIsLeftOutIsFound(Weakness weakness, Start start, int thefts, int faults, int depth) {
        WorldSearch search = new WorldSearch(weakness);
        String broken = search.broken(start.world(thefts, faults, 0), depth);
        assertThat(broken).as("without this precaution nothing is found").isNotNull();
    }
}
