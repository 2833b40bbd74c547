package io.chagres.ship;

import io.chagres.archive.Codec;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import io.chagres.ship.follow.Patrol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a shipper over files that operations change, step by step on one thread, and compares whatever it calls safe
 * with what the archive gives back.
 */
final class ModelRun implements AutoCloseable {
    private static final int MAX_STEPS = 2000;
    /** Some things are looked at for ever, such as zeros at the end of a file that is open. */
    private static final int RESTLESS_STEPS = 300;

    private static final int QUIET_STEPS = 6;
    private static final int CHECKED_MOMENTS = 1;

    /** Is what a run found to be wrong. */
    static final class Wrong extends Exception {
        private static final long serialVersionUID = 1;

        Wrong(String what) {
            super(what);
        }
    }

    /** A moment that was called safe. */
    private record Moment(long seq, Map<String, ModelContent> files) {}

    /** How one run differs from another besides its operations. */
    record Setting(int openFiles, int coalesceMs, int maxLagMs, Codec codec) {
        static Setting of(long seed) {
            int bits = Long.hashCode(seed * 0x9E3779B97F4A7C15L) >>> 8;
            return new Setting(
                    bits % 4 == 0 ? 2 : 1000,
                    bits / 4 % 4 == 0 ? 20 : 0,
                    bits / 16 % 2 == 0 ? 1 : 1000,
                    bits / 32 % 4 == 0 ? Codec.NONE : bits / 128 % 4 == 0 ? Codec.GZIP : Codec.ZSTD);
        }

        /** Makes one from a line of text. */
        static Setting parse(String line) {
            String[] words = line.split(" ");
            return new Setting(
                    Integer.parseInt(words[0]),
                    Integer.parseInt(words[1]),
                    Integer.parseInt(words[2]),
                    Codec.valueOf(words[3]));
        }

        /** Returns what {@link #parse} reads. */
        @Override
        public String toString() {
            return openFiles + " " + coalesceMs + " " + maxLagMs + " " + codec;
        }
    }

    private static final long DAY_MS = 86_400_000;

    private final Path base;
    private final Setting setting;
    private final ModelTree tree;
    private final ModelStore store = new ModelStore();
    private final ModelClock clock = new ModelClock();
    private final ModelArchive archive;
    private final List<String> problems = new ArrayList<>();
    private final List<Moment> moments = new ArrayList<>();
    private Machine machine = Machine.current();
    private @Nullable Shipper shipper;
    private String state = "state";
    /**
     * Whether commits were removed without a grace period: whose newest put was not answered cannot tell that it was
     * its own, and nobody can tell when it was heard last.
     */
    private boolean compactedAtOnce;

    private boolean appendsOnly = true;
    private int changes;
    private int changesChecked;
    private int countsChecked;

    private ModelRun(Path base, Setting setting) throws IOException {
        this.base = base;
        this.setting = setting;
        remove(base);
        tree = new ModelTree(base.resolve("tree"), base.resolve("outside"));
        archive = new ModelArchive(store.memory, tree.top);
    }

    /**
     * Runs operations.
     *
     * @param base a directory that is emptied before
     * @return what went wrong, or null
     */
    static @Nullable String run(Path base, Setting setting, List<ModelOperation> operations) throws IOException {
        try (ModelRun run = new ModelRun(base, setting)) {
            for (ModelOperation each : operations) {
                run.apply(each);
            }
            run.end();
            return null;
        } catch (Wrong e) {
            return e.getMessage();
        } catch (IOException | RuntimeException | Error e) {
            return "failed with " + e + " at "
                    + Stream.of(e.getStackTrace()).limit(6).toList();
        }
    }

    private void apply(ModelOperation o) throws IOException, Wrong {
        changes++;
        appendsOnly &= !o.changesBytes();
        if (tree.apply(o)) {
            return;
        }
        switch (o.kind()) {
            case REFUSE -> store.refuse(1 + o.other() % 4);
            case LOSE_ANSWER -> store.loseAnswer();
            case LATE -> store.delay();
            case HOLD -> store.hold(1 + o.other() % 8);
            case OUTAGE -> outage();
            case STEP -> {
                for (int i = 0; i <= o.other() % 4; i++) {
                    step(o.at() % 3 == 0 ? 0 : o.at());
                }
            }
            case SETTLE -> settle();
            case FLUSH -> flush();
            case DRAIN -> drain();
            case CRASH -> {
                List<ModelTree.Cut> cuts = List.copyOf(tree.cuts);
                crash();
                tree.cuts.addAll(cuts); // the next shipper knows of them
            }
            case MACHINE_CRASH -> {
                crash();
                tree.machineCrash(o);
                machine = new Machine(
                        machine.hostName(),
                        machine.machineId(),
                        machine.productUuid(),
                        machine.bootId() + "'",
                        machine.kernel());
            }
            case CLOCK -> clock.advance((o.at() - 500) * 10_000L);
            case COMPACT -> compact(o.other() % 2 == 0 ? 0 : DAY_MS);
            case SECOND -> second(o.other() % 2 == 0 && !compactedAtOnce);
            case TAKE_OVER -> takeOver();
            default -> throw new AssertionError(o);
        }
    }

    /** Begins an outage in which no more can be read, or ends it. */
    private void outage() throws IOException, Wrong {
        if (store.isOut()) {
            store.heal();
            return;
        }
        open();
        store.goOut();
        while (tree.fill()) {
            for (int i = 0; i < 3; i++) {
                step(250);
            }
        }
    }

    private ShipOptions options(@Nullable String hostId, boolean takeOver) {
        return new ShipOptions(
                List.of(new Source(
                        List.of(tree.top.toString()), List.of(), List.of(), setting.maxLagMs, setting.codec)),
                new ShipOptions.Identity(
                        "host",
                        hostId,
                        takeOver,
                        Pathname.of(base.resolve(state).toString())),
                new ShipOptions.Pace(setting.maxLagMs, 3_600_000, 0, 0, setting.coalesceMs),
                new ShipOptions.Storage(1, ShipOptions.MIN_MEMORY_BYTES, true, List.of(), false),
                StartAt.BEGINNING,
                false,
                false);
    }

    private Shipper open(ShipOptions options, Machine here) throws IOException {
        ShipHost host = new ShipHost(here, setting.openFiles, Clock.systemUTC());
        return Shipper.open(options, store.store(), store, clock, problems::add, host);
    }

    private Shipper open() throws IOException {
        if (shipper == null) {
            for (int i = 0; shipper == null; i++) {
                try {
                    shipper = open(options(null, false), machine);
                } catch (StoreException e) {
                    throw e;
                } catch (IOException e) {
                    if (i > 20) {
                        throw e;
                    }
                    if (i == 10) {
                        store.heal();
                    }
                    store.step(); // it refused, and is asked again
                }
            }
        }
        return shipper;
    }

    /** Merges what is in the store, while the shipper continues. */
    private void compact(long graceMs) throws IOException {
        open();
        archive.compacted();
        SmallArchive.compact(store.memory, graceMs, clock);
        if (graceMs == 0) {
            moments.clear(); // how it was then is kept for each minute only
            compactedAtOnce = true;
        }
    }

    /** Starts another shipper as the same host: with the same state, or elsewhere. */
    private void second(boolean elsewhere) throws IOException, Wrong {
        open();
        String before = state;
        state = elsewhere ? "elsewhere" : state;
        Machine clone = new Machine(
                machine.hostName(), machine.machineId(), machine.productUuid() + "'", "elsewhere", machine.kernel());
        try {
            open(options(archive.hostId(), false), elsewhere ? clone : machine).close();
            throw new Wrong("a second shipper writes as the host of one that lives");
        } catch (LockedException e) {
            problems.add(e.getMessage());
        } catch (IOException e) {
            if (!ModelStore.isFault(e)) {
                throw e;
            }
        } finally {
            state = before;
        }
    }

    /** Another shipper takes the host over; the one before must not call anything acknowledged after that. */
    private void takeOver() throws IOException, Wrong {
        Shipper fenced = open();
        String before = state;
        state = before + "'";
        Shipper next;
        try {
            next = open(options(archive.hostId(), true), machine);
        } catch (IOException e) {
            state = before;
            if (!ModelStore.isFault(e)) {
                throw e;
            }
            return;
        }
        tree.isForgotten();
        fenced.requestDrain();
        try {
            for (int i = 0; i < MAX_STEPS && !fenced.finished(); i++) {
                clock.advance(250);
                fenced.doWork(0);
                store.step();
                if (i == MAX_STEPS / 2) {
                    store.heal();
                }
            }
            throw new Wrong("a shipper that another took over from says " + fenced.status());
        } catch (FencedException e) {
            problems.add(e.getMessage());
        } finally {
            crash();
            shipper = next;
        }
    }

    /** Makes a step; returns whether the shipper did anything. */
    private boolean step(long ms) throws IOException, Wrong {
        Shipper running = open();
        clock.advance(ms);
        ShipStatus before = running.status();
        int work;
        try {
            work = running.doWork(0);
        } catch (StoreException | FencedException e) {
            if (!compactedAtOnce && !e.getMessage().contains("Nothing is lost")) {
                throw e;
            }
            crash();
            return true;
        }
        ShipStatus now = running.status();
        boolean safe = now != before && setting.coalesceMs == 0 && !now.scanning() && isSafe(now);
        if (safe && !tree.unseen && changesChecked != changes) {
            changesChecked = changes;
            List<String> lost = archive.lost(tree.contents());
            if (!lost.isEmpty()) {
                throw new Wrong("the status says 0 bytes at risk, but: " + String.join("; ", lost));
            }
        }
        if (now != before && setting.coalesceMs == 0 && store.isOut() && !tree.unseen) {
            checkCounted(now);
        }
        store.step();
        if (setting.coalesceMs == 0) {
            tree.isSeen();
            if (!now.scanning()) {
                tree.isNoticed();
            }
        }
        return work > 0;
    }

    /** While nothing can be read, bytes that the archive lacks count all the same; without an event by the patrol. */
    private void checkCounted(ShipStatus now) throws IOException, Wrong {
        if (now.riskBytes() < 0 || countsChecked == changes) {
            return;
        }
        countsChecked = changes;
        long missing = archive.missingBytes(ModelFillers.files(tree.top));
        if (now.riskBytes() < missing) {
            throw new Wrong("bytes are neither in the archive nor counted: " + missing + ", and at risk are "
                    + now.riskBytes());
        }
    }

    /** Steps until nothing moves; what is called safe then is compared. */
    private void settle() throws IOException, Wrong {
        Shipper running = open();
        int quiet = 0;
        for (int i = 0; quiet < QUIET_STEPS && i < RESTLESS_STEPS; i++) {
            boolean waits = store.isBusy() || running.status().storeTrouble() != null; // it will be asked again
            quiet = step(250) || waits ? 0 : quiet + 1;
        }
        if (tree.unseen && shipper == running) {
            patrol(running);
        }
        if (shipper == running && isSafe(running.status())) {
            check("nothing moves any more, and the status says 0 bytes at risk");
            known();
        }
        tree.isSeen();
    }

    /** Lets the time pass within which the shipper looks at everything, with or without events. */
    private void patrol(Shipper running) throws IOException, Wrong {
        for (long ms = 0; ms <= Patrol.LIVELY_MS && shipper == running; ms += 250) {
            step(250);
        }
        for (int quiet = 0, i = 0; quiet < QUIET_STEPS && i < RESTLESS_STEPS && shipper == running; i++) {
            quiet = step(250) || store.isBusy() ? 0 : quiet + 1;
        }
        long oldestMs = running.status().looks().oldestMs();
        if (shipper == running && oldestMs > Patrol.LIVELY_MS) {
            throw new Wrong("nothing was looked at for " + oldestMs + " ms: " + running.status());
        }
        tree.unseen = false;
    }

    /** While the store refuses, names wait as well, and the status says that it does. */
    private static boolean isSafe(ShipStatus status) {
        return status.riskBytes() == 0 && status.unverifiedBytes() == 0 && status.storeTrouble() == null;
    }

    private void known() throws IOException {
        tree.isKnown();
        moments.add(new Moment(archive.seq(), tree.contents()));
    }

    private void flush() throws IOException, Wrong {
        Shipper running = open();
        FlushAnswer before = answer();
        running.requestFlush();
        for (int i = 0; i < MAX_STEPS && shipper == running; i++) {
            step(250);
            FlushAnswer now = answer();
            if (now.done() > before.done()) {
                if (now.leftBytes() == 0) {
                    check("a flush says that nothing is left");
                    known();
                }
                return;
            }
            if (i == MAX_STEPS / 2) {
                store.heal();
            }
        }
        if (shipper == running) {
            throw new Wrong("a flush does not end: " + running.status());
        }
    }

    private FlushAnswer answer() throws IOException {
        try (Stream<Path> walk = Files.list(base.resolve(state))) {
            Path part = walk.findFirst().orElseThrow();
            return StateDirectory.answer(Pathname.of(part.toString()));
        }
    }

    /** Returns whether the shipper ended by itself: one that cannot tell whose the newest commit is ends otherwise. */
    private boolean drain() throws IOException, Wrong {
        Shipper running = open();
        running.requestDrain();
        for (int i = 0; i < MAX_STEPS && shipper == running && !running.finished(); i++) {
            step(250);
            if (i == MAX_STEPS / 2) {
                store.heal();
            }
        }
        if (shipper != running) {
            return false;
        }
        boolean lost =
                problems.stream().anyMatch(problem -> problem.contains("is lost") || problem.contains("is not known"));
        if (!running.drained() || (running.status().riskBytes() != 0 && !lost)) {
            throw new Wrong("a drain does not end, though the store is healthy: " + running.status());
        }
        check("the drain says that everything is acknowledged");
        known();
        crash();
        return true;
    }

    /** The shipper is gone; nothing that it has not put is in the store. */
    private void crash() {
        if (shipper != null) {
            shipper.close();
            shipper = null;
        }
        store.forget();
        compactedAtOnce = false;
        tree.isForgotten();
    }

    private void check(String claim) throws IOException, Wrong {
        List<String> wrong = archive.differences(tree.contents());
        if (!wrong.isEmpty()) {
            throw new Wrong(claim + ", but: " + String.join("; ", wrong));
        }
        List<ModelTree.Last> held = tree.orphans();
        for (ModelTree.Last each : tree.opensByHandle ? archive.missing(held) : List.<ModelTree.Last>of()) {
            throw new Wrong(claim + ", but the last " + each.content().length() + " bytes of " + each.name()
                    + " are nowhere, though it can be opened by its handle");
        }
        tree.lasts.addAll(held);
        for (ModelTree.Last each : archive.missing(tree.lasts)) {
            boolean told = problems.stream().anyMatch(problem -> problem.contains("/" + each.name() + " was "));
            if (!told || open().status().riskBytes() == 0) {
                throw new Wrong(claim + (told ? ", but it is not counted" : ", but nobody was told") + " that the last "
                        + each.content().length() + " bytes of " + each.name() + " are nowhere: it said " + problems);
            }
        }
        tree.lasts.clear();
        for (ModelTree.Cut each : archive.unwitnessed(tree.cuts)) {
            throw new Wrong(claim + ", but no version of " + each.name() + " ends as it was cut");
        }
        tree.cuts.clear();
    }

    private void end() throws IOException, Wrong {
        store.heal();
        boolean drained = drain();
        drained = drained || drain(); // by the next shipper
        if (!drained) {
            throw new Wrong("two shippers, one after the other, do not end by themselves");
        }
        if (appendsOnly) {
            for (String name : tree.contents().keySet()) {
                if (archive.versionsOf(name) != 1) {
                    throw new Wrong(name + " was only appended to and has " + archive.versionsOf(name) + " versions");
                }
            }
        }
        archive.readAll();
        for (Moment moment : moments.subList(0, Math.min(CHECKED_MOMENTS, moments.size()))) {
            List<String> wrong = archive.differences(moment.seq, moment.files);
            if (!wrong.isEmpty()) {
                throw new Wrong("what was safe at commit " + moment.seq + " is not there: " + wrong);
            }
        }
        open();
    }

    static void remove(Path top) throws IOException {
        if (Files.exists(top)) {
            for (String each : new String[] {"tree/d", "tree/e"}) {
                ModelMounts.detach(top.resolve(each));
            }
            try (Stream<Path> walk = Files.walk(top)) {
                for (Path each : (Iterable<Path>) walk.sorted(Comparator.reverseOrder())::iterator) {
                    Files.delete(each);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        crash();
        tree.close();
        archive.close();
    }
}
