package io.chagres.fuse.path;

import io.chagres.fuse.Name;
import io.chagres.fuse.Reply;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.InvalidPathException;

/** Does the work of requests on names, and answers with its exceptions. Safe for any thread. */
final class PathAnswers {
    private final PathTable table;
    private final boolean ofProvider;

    /**
     * Makes one that holds nothing.
     *
     * @param ofProvider whether unchecked exceptions are answers too: a provider of java.nio.file says so what it does
     *     not do. From anybody else they are faults, and so for the server to log
     */
    PathAnswers(PathTable table, boolean ofProvider) {
        this.table = table;
        this.ofProvider = ofProvider;
    }

    /** Work that may fail. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Work on names that may fail. */
    @FunctionalInterface
    interface NameWork {
        void run(HeldNames names) throws IOException;
    }

    /** Work on a name that is held and may fail. */
    @FunctionalInterface
    interface OneNameWork {
        void run(String name) throws IOException;
    }

    /** Does what uses or changes names, which it holds from when it says so until it returns. */
    void using(Reply reply, NameWork work) {
        try (HeldNames names = new HeldNames(table)) {
            work.run(names);
        } catch (IOException
                | UnsupportedOperationException
                | InvalidPathException
                | SecurityException
                | ClosedFileSystemException e) {
            failed(reply, e);
        }
    }

    /** Does what uses the name of a node, or an open file that may have one. */
    void using(Reply reply, long node, Work work) {
        using(reply, names -> {
            names.use(node);
            work.run();
        });
    }

    /** Does what uses a name in a directory, or makes it. */
    void using(Reply reply, long parent, Name name, OneNameWork work) {
        using(reply, names -> {
            String decoded = name.decoded();
            names.use(parent, decoded);
            work.run(decoded);
        });
    }

    /** Does what needs no path. */
    void answer(Reply reply, Work work) {
        try {
            work.run();
        } catch (IOException
                | UnsupportedOperationException
                | InvalidPathException
                | SecurityException
                | ClosedFileSystemException e) {
            failed(reply, e);
        }
    }

    private void failed(Reply reply, Exception failure) {
        if (failure instanceof RuntimeException fault && !ofProvider) {
            throw fault;
        }
        reply.error(ThrownErrno.of(failure));
    }
}
