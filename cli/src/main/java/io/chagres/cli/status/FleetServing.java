package io.chagres.cli.status;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.http.StatusServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Looks at an archive now and then, and tells over HTTP what it found, until a signal. Confined to one thread. */
final class FleetServing {
    private final CommandContext context;
    private final FleetBoard board;
    private final long everyMs;
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** Looks at an archive once. */
    @FunctionalInterface
    interface Look {
        /** Returns what it found. */
        List<Row> look() throws IOException;
    }

    FleetServing(CommandContext context, FleetBoard board, long everyMs) {
        this.context = context;
        this.board = board;
        this.everyMs = everyMs;
    }

    /** Serves until a signal. Reports what a look cannot read, and looks at it again. */
    void run(String address, @Nullable String token, Look look) throws IOException {
        try (WorkerThreads threads = new WorkerThreads("chagres-http-", 2);
                StatusServer server = StatusServer.open(address, token, board, threads)) {
            context.termination().onSignal(stopped::countDown);
            context.err().println("chagres status: the fleet is shown at " + server.address());
            String said = "";
            do {
                String why = looked(look);
                if (!why.equals(said) && why.isEmpty()) {
                    context.err().println("chagres status: the archive answers again");
                } else if (!why.equals(said)) {
                    context.err().println("chagres status: the archive cannot be read: " + why);
                }
                said = why;
            } while (!stopped.await(everyMs, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String looked(Look look) {
        try {
            board.looked(new ArrayList<>(look.look()));
            return "";
        } catch (IOException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            board.refused(why);
            return why;
        }
    }
}
