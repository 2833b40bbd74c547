package io.chagres.ship;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Shortens a run that fails, as long as it still fails, and prints what is left. */
final class ModelShrink {
    private static final int MAX_RUNS = 1500;

    private final Path base;
    private final ModelRun.Setting setting;
    private List<ModelOperation> operations;
    private String wrong;
    private int runs;

    private ModelShrink(Path base, ModelRun.Setting setting, List<ModelOperation> operations, String wrong) {
        this.base = base;
        this.setting = setting;
        this.operations = operations;
        this.wrong = wrong;
    }

    /** Returns a short run that goes wrong like the given one, as lines of {@code model-cases.txt}. */
    static String explain(Path base, long seed, ModelRun.Setting setting, List<ModelOperation> operations, String wrong)
            throws IOException {
        ModelShrink shrink = new ModelShrink(base, setting, operations, wrong);
        shrink.shorten();
        shrink.simplify();
        shrink.shorten();
        StringBuilder text = new StringBuilder("seed " + seed + ": " + shrink.wrong + "\n" + setting + "\n");
        for (ModelOperation each : shrink.operations) {
            text.append(each).append('\n');
        }
        return text.toString();
    }

    private boolean accept(List<ModelOperation> shorter) throws IOException {
        if (runs++ > MAX_RUNS) {
            return false;
        }
        String still = ModelRun.run(base, setting, shorter);
        if (!isAlike(still)) {
            return false;
        }
        operations = shorter;
        wrong = still;
        return true;
    }

    /** One fault must not turn into another on the way. */
    private boolean isAlike(@Nullable String other) {
        return other != null && kind(other).equals(kind(wrong));
    }

    private static String kind(String what) {
        return what.replaceAll("[^ ]*[0-9/][^ ]*", "").replaceAll(":.*", "");
    }

    /** Leaves out ever smaller pieces. */
    private void shorten() throws IOException {
        for (int piece = Math.max(1, operations.size() / 2); piece > 0; piece /= 2) {
            for (int start = operations.size() - piece; start >= 0; start -= piece) {
                List<ModelOperation> shorter = new ArrayList<>(operations);
                shorter.subList(start, Math.min(shorter.size(), start + piece)).clear();
                accept(shorter);
                start = Math.min(start, operations.size());
            }
        }
    }

    /** Makes numbers small. */
    private void simplify() throws IOException {
        for (int i = 0; i < operations.size(); i++) {
            replace(
                    i,
                    o -> new ModelOperation(
                            o.kind(), o.file(), o.other(), o.at(), o.length(), ModelOperation.Content.LINES));
            replace(i, o -> new ModelOperation(o.kind(), o.file(), o.other(), 0, o.length(), o.content()));
            for (int length : new int[] {10, 100, 5000}) {
                replace(
                        i,
                        o -> new ModelOperation(
                                o.kind(), o.file(), o.other(), o.at(), Math.min(length, o.length()), o.content()));
            }
        }
    }

    private void replace(int index, UnaryOperator<ModelOperation> simpler) throws IOException {
        List<ModelOperation> changed = new ArrayList<>(operations);
        changed.set(index, simpler.apply(changed.get(index)));
        if (!changed.equals(operations)) {
            accept(changed);
        }
    }
}
