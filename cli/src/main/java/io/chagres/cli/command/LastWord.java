package io.chagres.cli.command;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Says why the program ends when descriptors, memory or classes have run out: what that takes is held from the start.
 * Safe for any thread.
 */
public final class LastWord {
    private static final int RESERVE_BYTES = 1 << 20;
    private static final byte[] UNSPEAKABLE =
            "chagres: failed, and nothing is left to say why with. What was acknowledged is safe.\n"
                    .getBytes(StandardCharsets.UTF_8);

    private final OutputStream err;
    /** Room that is given back when nothing else is left. */
    @SuppressWarnings("UnusedVariable")
    private byte @Nullable [] reserve = new byte[RESERVE_BYTES];

    private LastWord(OutputStream err) {
        this.err = err;
    }

    /** Prepares, and lets an error that ends another thread end the process: what works on without it would hang. */
    public static LastWord ofProcess() {
        LastWord word = new LastWord(new FileOutputStream(FileDescriptor.err));
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> word.uncaught(thread.getName(), failure));
        return word;
    }

    /**
     * Keeps open the jars that classes are loaded from, for a program that keeps running: a jar is opened when its
     * first class is asked for, and then it may be that no more files can be opened.
     */
    public static void holdClasses() throws IOException {
        for (Module module : ModuleLayer.boot().modules()) {
            if (module.getClassLoader() == ClassLoader.getSystemClassLoader()) {
                InputStream found = module.getResourceAsStream("module-info.class");
                if (found != null) {
                    found.close(); // the jar stays open
                }
            }
        }
        ClassLoader.getSystemResource("io/chagres/none"); // is looked for in each jar of the class path
    }

    /** Gives memory back that a report may need. */
    public void makeRoom() {
        reserve = null;
    }

    private void uncaught(String thread, Throwable failure) {
        if (failure instanceof Error) {
            end(failure);
        }
        say("chagres: unexpected failure on the thread " + thread + ": " + failure + ". The program continues.\n");
    }

    /** Says why and ends the process at once, whatever else runs or waits. Does not return. */
    public void end(Throwable failure) {
        try {
            makeRoom();
            say("chagres: unexpected failure: " + failure + ". What was acknowledged is safe.\n");
        } catch (RuntimeException | Error another) { // the message did not come to be
            write(UNSPEAKABLE);
        } finally {
            Runtime.getRuntime().halt(ExitCode.FAILED);
        }
    }

    private void say(String message) {
        write(message.getBytes(StandardCharsets.UTF_8));
    }

    private void write(byte[] bytes) {
        try {
            err.write(bytes);
        } catch (IOException e) {
            // nobody listens
        }
    }
}
