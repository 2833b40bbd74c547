package io.chagres.cli.command;

import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;

/** How a long-running command hears of SIGTERM and SIGINT. */
@FunctionalInterface
public interface Termination {
    /** Signals are not listened to: a test, or a command that may simply die. */
    Termination NONE = action -> {};

    /**
     * Registers what a signal does; the program then ends with the code that its main thread arrives at.
     *
     * @param action runs on a thread of its own, at most once
     */
    void onSignal(Runnable action);

    /**
     * Registers what SIGUSR1 does, which would end the process otherwise.
     *
     * @param action runs on a thread of its own, each time
     */
    default void onUserSignal(Runnable action) {}

    /**
     * Registers what SIGHUP does, which would end the process otherwise.
     *
     * @param action runs on a thread of its own, each time
     */
    default void onHangup(Runnable action) {}

    /**
     * Ends the program although its main thread hangs in a call; does nothing if that has arrived at a code.
     *
     * @param code the exit code
     */
    default void abandon(int code) {}

    /**
     * The process's own: a shutdown hook that lets the main thread finish before the JVM halts. Safe for any thread.
     */
    final class OfProcess implements Termination {
        private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

        @Override
        public void onSignal(Runnable action) {
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> halt(action), "chagres-shutdown"));
            } catch (IllegalStateException e) { // a signal came first: the JVM ends, with the code of that signal
                new CompletableFuture<Void>().join();
            }
        }

        @Override
        public void onUserSignal(Runnable action) {
            handle("USR1", action);
        }

        @Override
        public void onHangup(Runnable action) {
            handle("HUP", action);
        }

        private static void handle(String name, Runnable action) {
            try {
                // The only way of the JDK to hear of a signal, and one that the compiler always warns of by name.
                Class<?> signal = Class.forName("sun.misc.Signal");
                Class<?> handler = Class.forName("sun.misc.SignalHandler");
                Object ours = Proxy.newProxyInstance(
                        Termination.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                            action.run();
                            return null;
                        });
                Object named = signal.getConstructor(String.class).newInstance(name);
                signal.getMethod("handle", signal, handler).invoke(null, named, ours);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this JDK does not deliver SIG" + name, e);
            }
        }

        /** Ends the program; never returns. */
        public void exit(int code) {
            FlightRecordings.write();
            exitCode.complete(code);
            System.exit(code); // blocks for ever when a signal came first: the hook halts
        }

        @Override
        public void abandon(int code) {
            if (exitCode.complete(code)) {
                FlightRecordings.write();
                Runtime.getRuntime().halt(code);
            }
        }

        private void halt(Runnable action) {
            if (!exitCode.isDone()) {
                action.run();
            }
            Runtime.getRuntime().halt(exitCode.join());
        }
    }
}
