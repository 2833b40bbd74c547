package io.chagres.archive.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tries every interleaving of the actors' steps up to a depth, breadth first, so that it finds the shortest way to a
 * fault. Of two states with one hash it tries the first only. Confined to one thread.
 */
final class WorldSearch {
    private record Step(long before, String what) {}

    private final Weakness weakness;
    private final Map<Long, Step> seen = new HashMap<>();

    WorldSearch(Weakness weakness) {
        this.weakness = weakness;
    }

    /**
     * Searches.
     *
     * @param depth how many steps are tried
     * @return the way to a state that breaks a promise, and which one; null when none does
     */
    @Nullable
    String broken(World start, int depth) {
        List<World> front = List.of(start);
        seen.put(start.hash(), new Step(0, ""));
        for (int done = 0; done < depth; done++) {
            List<World> found = new ArrayList<>();
            String[] fault = {null};
            for (World each : front) {
                long before = each.hash();
                next(each, weakness, (what, after) -> {
                    long hash = after.hash();
                    if (fault[0] == null && seen.putIfAbsent(hash, new Step(before, what)) == null) {
                        String broken = Promises.broken(after, weakness);
                        fault[0] = broken == null ? null : way(hash) + broken + "\n" + after;
                        found.add(after);
                    }
                });
                if (fault[0] != null) {
                    return fault[0];
                }
            }
            front = found;
        }
        return null;
    }

    /** Takes one step by what it is called; for a state to begin at. */
    static World step(World world, String called) {
        World[] found = {null};
        next(world, Weakness.NONE, (what, after) -> found[0] = what.equals(called) ? after : found[0]);
        return Objects.requireNonNull(found[0], called);
    }

    private static void next(World world, Weakness weakness, BiConsumer<String, World> to) {
        ShipperSteps.add(world, weakness, to);
        CompactorSteps.add(world, weakness, to);
        RepairSteps.add(world, weakness, to);
        OutsiderSteps.add(world, to);
    }

    private String way(long to) {
        List<String> steps = new ArrayList<>();
        long at = to;
        for (Step step = seen.get(at); step != null && !step.what.isEmpty(); step = seen.get(at)) {
            steps.addFirst(step.what);
            at = step.before;
        }
        return String.join("\n", steps) + "\n";
    }
}
