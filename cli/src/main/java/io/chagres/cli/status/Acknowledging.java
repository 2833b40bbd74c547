package io.chagres.cli.status;

import io.chagres.archive.Acknowledgement;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.FleetStatus;
import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.CommandContext;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Says in an archive that somebody knows what became of hosts. Confined to one thread. */
final class Acknowledging {
    private final CommandContext context;
    private final BlobStore store;
    private final FleetStatus fleet;

    Acknowledging(CommandContext context, BlobStore store, FleetStatus fleet) {
        this.context = context;
        this.store = store;
        this.fleet = fleet;
    }

    /** Acknowledges what can be; returns whether nothing of these hosts is left that somebody must look at. */
    boolean of(List<HostRegistry.Owner> hosts) throws IOException {
        List<FleetStatus.HostStatus> alarming = new ArrayList<>();
        fleet.of(hosts, status -> {
            if (status.isAlarming()) {
                alarming.add(status);
            }
        });
        boolean all = true;
        for (FleetStatus.HostStatus status : alarming) {
            all &= acknowledge(status);
        }
        if (alarming.isEmpty()) {
            context.out().line("nothing to acknowledge");
        }
        return all;
    }

    private boolean acknowledge(FleetStatus.HostStatus status) throws IOException {
        String who = status.host().name() + " (" + status.host().id() + "), "
                + status.state().word();
        if (!status.state().canBeAcknowledged()) {
            String why = status.state() == FleetStatus.State.DAMAGED
                    ? "what is damaged stays so until 'chagres repair'"
                    : "it lives, and what it says next would make this void";
            context.err().println("chagres status: " + who + ": not acknowledged; " + why);
            return false;
        }
        String by = System.getProperty("user.name") + "@" + Machine.current().hostName();
        new Acknowledgement(status.said(), by, context.clock().millis()).put(store);
        context.out().line(who + ": acknowledged");
        return true;
    }
}
