package io.chagres.ship;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/**
 * A store that a run scripts: it refuses, loses answers, and takes a request long after it said that it failed.
 * Requests run on a queue that is held or let go. Confined to one thread.
 */
final class ModelStore implements Executor {
    /** A request that arrives late. */
    private record Late(String key, byte[] bytes) {}

    private static final class Fault extends IOException {
        private static final long serialVersionUID = 1;

        Fault(String message) {
            super(message);
        }
    }

    final MemoryStore memory = new MemoryStore();
    private final BlobStore faulty = new FaultyStore(new LatePuts(memory), this::fault);
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final Deque<Late> late = new ArrayDeque<>();
    private int refusals;
    private int lostAnswers;
    private int latePuts;
    private int heldSteps;
    private boolean out;

    /** Returns the store as the shipper sees it. */
    BlobStore store() {
        return faulty;
    }

    /** Says whether something failed because the run had said so. */
    static boolean isFault(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof Fault || (cause != null && isFault(cause));
    }

    /** Lets the next operations that change the store fail. */
    void refuse(int operations) {
        refusals += operations;
    }

    /** Lets the answer of the next change be lost. */
    void loseAnswer() {
        lostAnswers++;
    }

    /** Lets the next put fail, and arrive after all when something else has happened. */
    void delay() {
        latePuts++;
    }

    /** Lets no request begin for some steps. */
    void hold(int steps) {
        heldSteps += steps;
    }

    /** Lets every change fail until it is healed. */
    void goOut() {
        out = true;
    }

    /** Says whether every change fails. */
    boolean isOut() {
        return out;
    }

    /** Makes the store healthy. */
    void heal() {
        out = false;
        refusals = 0;
        lostAnswers = 0;
        latePuts = 0;
        heldSteps = 0;
    }

    private void fault(FaultyStore.Operation operation, boolean done) throws IOException {
        if (operation.change() < 0) {
            return;
        }
        if (!done && out) {
            throw new Fault("the store is out");
        }
        if (!done && refusals > 0) {
            refusals--;
            throw new Fault("the store refuses");
        }
        if (done && lostAnswers > 0) {
            lostAnswers--;
            throw new Fault("the answer is lost");
        }
    }

    @Override
    public void execute(Runnable task) {
        waiting.add(task);
    }

    /** Runs what waits, unless it is held. */
    void step() {
        if (heldSteps > 0) {
            heldSteps--;
            return;
        }
        int count = waiting.size();
        for (int i = 0; i < count; i++) {
            waiting.removeFirst().run();
        }
        while (!late.isEmpty()) {
            arrive(late.removeFirst());
        }
    }

    /** Says whether a request has not begun. */
    boolean isBusy() {
        return !waiting.isEmpty();
    }

    /** The shipper died: requests that have not begun never will. Late ones still arrive. */
    void forget() {
        waiting.clear();
    }

    private void arrive(Late put) {
        memory.putIfAbsent(put.key, MemorySegment.ofArray(put.bytes));
    }

    private final class LatePuts extends ForwardingStore {
        LatePuts(BlobStore store) {
            super(store);
        }

        @Override
        public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
            if (latePuts > 0) {
                latePuts--;
                late.add(new Late(key, content.toArray(ValueLayout.JAVA_BYTE)));
                throw new Fault("no answer in time");
            }
            return super.putIfAbsent(key, content);
        }
    }
}
