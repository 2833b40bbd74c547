package io.chagres.cli;

import java.util.concurrent.CompletableFuture;

/** How a long-running command hears of SIGTERM and SIGINT. */
@FunctionalInterface
interface Termination {
    /** Signals are not listened to: a test, or a command that may simply die. */
    Termination NONE = action -> {};

    /**
     * Registers what a signal does; the program then ends with the code that its main thread arrives at.
     *
     * @param action runs on a thread of its own, at most once
     */
    void onSignal(Runnable action);

    /**
     * The process's own: a shutdown hook that lets the main thread finish before the JVM halts. Safe for any thread.
     */
    final class OfProcess implements Termination {
        private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

        @Override
        public void onSignal(Runnable action) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> halt(action), "chagres-shutdown"));
        }

        /** Ends the program; never returns. */
        void exit(int code) {
            exitCode.complete(code);
            System.exit(code); // blocks for ever when a signal came first: the hook halts
        }

        private void halt(Runnable action) {
            if (!exitCode.isDone()) {
                action.run();
            }
            Runtime.getRuntime().halt(exitCode.join());
        }
    }
}
