package io.chagres.cli.doctor;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.FleetStatus;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.TimeoutOption;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.ship.ArchivePlace;
import io.chagres.cli.ship.DailyCost;
import io.chagres.cli.ship.ShipPlan;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.Words;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/** The checks of {@code doctor} that concern the archive. */
final class StoreChecks {
    private static final int OTHERS = 07;

    /** Object stores refuse signatures that are 15 minutes off; times in the archive are those of this clock. */
    private static final long MAX_SKEW_MS = 30_000;

    private final Diagnosis diagnosis;
    private final ShipPlan plan;
    private final TimeoutOption timeout;
    private final CommandContext context;

    StoreChecks(Diagnosis diagnosis, ShipPlan plan, TimeoutOption timeout, CommandContext context) {
        this.diagnosis = diagnosis;
        this.plan = plan;
        this.timeout = timeout;
        this.context = context;
    }

    /** Checks that it is there, can be read, takes writes and keeps their condition, and what time it has. */
    void run(InstantSource clock) {
        if (plan.isSpool()) {
            diagnosis.warn("kafka", plan.to() + " is not asked", "start ship: it says what keeps it from publishing");
        }
        if (isMissing()) {
            return;
        }
        List<HostRegistry.Owner> hosts;
        try (BlobStore store = timeout.open(plan.store(), context)) {
            hosts = HostRegistry.listed(store); // a shipper need not have the right to list all
            diagnosis.ok("archive", store.name() + ", " + Words.plural(hosts.size(), "host") + ", can be read");
            ownHost(store, hosts);
            Pathname local = store.traits().directory();
            if (local != null) {
                access(local);
            }
        } catch (IOException e) {
            diagnosis.fail(
                    "archive", String.valueOf(e.getMessage()), "name an archive; 'chagres ship' makes a new one");
            return;
        }
        Pathname local = plan.localArchive();
        if (local == null) {
            write(hosts, clock);
        } else {
            boolean isWritable = new LocalArchive(diagnosis, local).run();
            place();
            if (isWritable) {
                clockOf(clock);
            }
        }
        cost();
    }

    /** That the archive can be listed says nothing of what it holds of this host. */
    private void ownHost(BlobStore store, List<HostRegistry.Owner> hosts) throws IOException {
        String name = plan.options().identity().hostName();
        List<HostRegistry.Owner> own =
                hosts.stream().filter(host -> host.name().equals(name)).toList();
        try (WorkerThreads threads = new WorkerThreads("chagres-doctor-", 1)) {
            new FleetStatus(store, threads, FleetStatus.GONE_MS, context.clock().millis()).of(own, status -> {
                if (status.fault() != null && status.state() != FleetStatus.State.FENCED) {
                    diagnosis.warn(
                            "archive host",
                            name + " (" + status.host().id() + ") is "
                                    + status.state().word() + ": " + status.fault(),
                            "chagres verify, then chagres repair");
                }
            });
        }
    }

    /** Says what of the place speaks against it; a spool lies best where its files do. */
    private void place() {
        try {
            for (String concern : ArchivePlace.concerns(plan)) {
                diagnosis.warn("archive place", concern, "name a directory on another disk or machine, or mount it");
            }
        } catch (IOException e) {
            diagnosis.warn("archive place", String.valueOf(e.getMessage()), "look at the file system with df");
        }
    }

    private void clockOf(InstantSource clock) {
        try (BlobStore store = BlobStores.open(plan.store(), false)) {
            clock(store, clock);
        } catch (IOException e) {
            diagnosis.warn("archive clock", String.valueOf(e.getMessage()), "chagres doctor, when it can be opened");
        }
    }

    /** Makes nothing that the first ship will make; names a path that may be mistyped. */
    private boolean isMissing() {
        Pathname local = plan.localArchive();
        if (local == null || Files.exists(Path.of(local.toString()))) {
            return false;
        }
        Path parent = Path.of(local.toString()).toAbsolutePath().getParent();
        if (plan.isSpool()) {
            diagnosis.ok("spool", local + " is not there yet; the first ship makes it");
            return true;
        }
        diagnosis.expect(
                parent != null && Files.isDirectory(parent),
                "archive",
                local + " is not there yet; the first ship makes it"
                        + (parent != null && Files.isDirectory(parent)
                                ? ""
                                : ", and the directory it would be in, which does not exist either"),
                "nothing, if the path is meant so");
        new LocalArchive(diagnosis, local).run();
        place();
        cost();
        return true;
    }

    private void write(List<HostRegistry.Owner> hosts, InstantSource clock) {
        try (BlobStore store = timeout.within(context, () -> BlobStores.open(plan.store(), true))) {
            diagnosis.ok("archive write", "takes new objects and refuses to replace them");
            if (!hosts.isEmpty()) {
                timeout.within(context, () -> {
                    clock(store, clock);
                    return true;
                });
            }
        } catch (IOException e) {
            diagnosis.fail(
                    "archive write",
                    String.valueOf(e.getMessage()),
                    "grant this user or role to make objects there (docs/SECURITY.md); reading needs no more");
        }
    }

    private void clock(BlobStore store, InstantSource clock) {
        try {
            long before = clock.millis();
            long there = store.nowMs();
            long after = clock.millis();
            long skewMs = there < before ? there - before : Math.max(0, there - after);
            if (there == Long.MIN_VALUE || Math.abs(skewMs) < 1000) { // stores have seconds
                skewMs = 0;
            }
            diagnosis.expect(
                    Math.abs(skewMs) <= MAX_SKEW_MS,
                    "archive clock",
                    skewMs == 0
                            ? "agrees with this machine's"
                            : "is " + Durations.format(Math.abs(skewMs)) + (skewMs > 0 ? " ahead" : " behind"),
                    "timedatectl set-ntp true");
        } catch (IOException e) {
            diagnosis.warn("archive clock", String.valueOf(e.getMessage()), "chagres doctor, when the store answers");
        }
    }

    private void cost() {
        DailyCost cost = DailyCost.of(plan.lagMs(), plan.options().pace().heartbeatMs(), -1);
        diagnosis.ok("a day", cost.text(plan.isPaid()) + ", if files always grow");
    }

    /** Warns of an archive that shows everybody what only the owners of the files could read. */
    private void access(Pathname archive) throws IOException {
        try (Fd fd = Fd.open(archive, Fd.O_PATH, 0);
                Statx stat = new Statx()) {
            if (stat.of(fd.value()) == 0 && (stat.permissions() & OTHERS) != 0) {
                diagnosis.warn(
                        "archive",
                        String.format("mode %04o: every user can read what was shipped", stat.permissions()),
                        "chmod o= " + archive + "; new objects have the permissions of this directory");
            }
        }
    }

    /** Checks that the disk of an archive in a directory has room for the bytes that are there to be shipped. */
    void room(long bytes) {
        Pathname local = plan.localArchive();
        if (local == null || !Files.exists(Path.of(local.toString()))) {
            return;
        }
        try {
            long free = Files.getFileStore(Path.of(local.toString())).getUsableSpace();
            diagnosis.expect(
                    free > bytes,
                    "archive disk",
                    ByteSize.format(free) + " free, " + ByteSize.format(bytes) + " to ship before compression",
                    "free space, or ship less of it with --exclude");
        } catch (IOException e) {
            diagnosis.warn("archive disk", String.valueOf(e.getMessage()), "look at the file system with df");
        }
    }
}
