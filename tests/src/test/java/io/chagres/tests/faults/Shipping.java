package io.chagres.tests.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A shipper that is about to be started: its command line, piece by piece. */
final class Shipping {
    /** A drain that takes longer hangs: scenarios run beside each other, on few cores. */
    private static final String DRAIN = "300s";

    private final Consumer<ShipProcess> started;
    private final Path errors;
    private final List<String> prefix = new ArrayList<>();
    private final List<String> paths = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private final List<String> child = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private Supplier<List<String>> program = Chagres::command;
    private boolean hasOwnEnvironment;
    private String store;
    private Path state;
    private String host = FaultBench.HOST;
    private String lag = "50ms";

    Shipping(FaultBench bench, Path errors, Consumer<ShipProcess> started) {
        this.started = started;
        this.errors = errors;
        store = bench.address();
        environment.putAll(bench.environment());
        state = bench.state();
    }

    /** Follows these instead of the bench's tree. */
    Shipping paths(Object... follow) {
        for (Object path : follow) {
            paths.add(path.toString());
        }
        return this;
    }

    Shipping to(Object archive) {
        store = archive.toString();
        return this;
    }

    Shipping state(Path directory) {
        state = directory;
        return this;
    }

    Shipping host(String name) {
        host = name;
        return this;
    }

    Shipping lag(String maxLag) {
        lag = maxLag;
        return this;
    }

    Shipping options(String... more) {
        options.addAll(List.of(more));
        return this;
    }

    Shipping environment(String name, String value) {
        environment.put(name, value);
        hasOwnEnvironment = true;
        return this;
    }

    /** Runs it through another program, which must become it: {@code prlimit}, {@code setpriv}, {@code strace -D}. */
    Shipping through(String... program) {
        prefix.addAll(List.of(program));
        return this;
    }

    /** Runs it from other jars than the build's, where another user may read them. */
    Shipping jars(Path directory) {
        program = () -> Chagres.command(directory);
        return this;
    }

    /** Wraps a program. */
    Shipping child(String... command) {
        child.addAll(List.of(command));
        return this;
    }

    /** Starts it as a process: for a scenario that kills it, sends it a signal, or gives it what only a process has. */
    ShipProcess start() {
        List<String> line = new ArrayList<>(prefix);
        line.addAll(program.get());
        line.addAll(arguments());
        return tell(ShipProcess.start(line, environment, errors));
    }

    /** Starts it in this JVM. */
    ShipProcess here() {
        if (!prefix.isEmpty() || !child.isEmpty() || hasOwnEnvironment) {
            throw new IllegalStateException("only a process has another environment and children");
        }
        return tell(ShipProcess.here(arguments(), errors));
    }

    private ShipProcess tell(ShipProcess ship) {
        started.accept(ship);
        return ship;
    }

    private List<String> arguments() {
        List<String> line = new ArrayList<>(List.of("ship"));
        line.addAll(paths);
        line.addAll(List.of("--to", store, "--state", state.toString(), "--host", host, "--max-lag", lag));
        line.addAll(List.of("--json", "--status-interval", "100ms"));
        line.addAll(options);
        if (!options.contains("--drain")) {
            line.addAll(List.of("--drain", DRAIN));
        }
        if (!child.isEmpty()) {
            line.add("--");
            line.addAll(child);
        }
        return line;
    }
}
