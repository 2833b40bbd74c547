package io.chagres.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A broker of Kafka that is its own controller, in a JVM of its own, from the jars on the class path of the test. It
 * takes connections when it is returned; its data survive {@link #kill}. Confined to one thread.
 */
public final class KafkaBroker implements AutoCloseable {
    private static final String LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule";

    /** How long one that was killed keeps its place: until then it cannot start again. */
    private static final int SESSION_MS = 5000;

    private static final String CLUSTER = "Y2hhZ3Jlcy10ZXN0cy0wMA";

    /** The files in the data folder of a broker that never ran, by their names: the same for all. */
    private static final Map<String, byte[]> FORMATTED = new HashMap<>();

    /** Ended with this JVM when a test was stopped before it could. */
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().unstarted(() -> RUNNING.forEach(Process::destroyForcibly)));
    }

    private final Path folder;
    private final int port = Ports.free();
    private final int advertised;
    private Process process;

    /** How clients reach it. */
    private enum Access {
        OPEN("PLAINTEXT", ""),
        PROXIED("PLAINTEXT", ""),
        SECURED("SASL_SSL", """
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL
                security.inter.broker.protocol=SASL_SSL
                sasl.mechanism.inter.broker.protocol=PLAIN
                sasl.enabled.mechanisms=PLAIN
                listener.name.sasl_ssl.plain.sasl.jaas.config=%1$s required username="broker" password="b" \\
                    user_broker="b" user_chagres="secret";
                ssl.keystore.location=%2$s
                ssl.keystore.password=changeit
                ssl.truststore.location=%2$s
                ssl.truststore.password=changeit
                """);

        private final String protocol;
        private final String properties;

        Access(String protocol, String properties) {
            this.protocol = protocol;
            this.properties = properties;
        }
    }

    private KafkaBroker(Path folder, Access access) throws IOException {
        this.folder = folder;
        advertised = access == Access.PROXIED ? Ports.free() : port;
        if (access == Access.SECURED) {
            makeCertificate();
        }
        int controller = Ports.free();
        Files.writeString(
                folder.resolve("server.properties"),
                """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%d
                listeners=%s://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
                advertised.listeners=%s://127.0.0.1:%d
                controller.listener.names=CONTROLLER
                log.dirs=%s
                broker.session.timeout.ms=%d
                broker.heartbeat.interval.ms=%d
                num.partitions=2
                offsets.topic.replication.factor=1
                offsets.topic.num.partitions=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                transaction.state.log.num.partitions=4
                transaction.abort.timed.out.transaction.cleanup.interval.ms=1000
                share.coordinator.state.topic.replication.factor=1
                log.cleaner.dedupe.buffer.size=2097152
                log.cleaner.backoff.ms=500
                """.formatted(
                                        controller,
                                        access.protocol,
                                        port,
                                        controller,
                                        access.protocol,
                                        advertised,
                                        folder.resolve("data"),
                                        SESSION_MS,
                                        SESSION_MS / 10)
                        + access.properties.formatted(LOGIN, keyStore()));
        format(folder.resolve("data"));
        process = start();
    }

    /** Kafka's own program makes the first folder of data, and what it makes is written for all others. */
    private void format(Path data) throws IOException {
        synchronized (FORMATTED) {
            if (FORMATTED.isEmpty()) {
                Program done =
                        Program.run(java("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", properties()), 60);
                if (done.exitCode() != 0) {
                    throw new AssertionError("cannot format: " + done);
                }
                try (Stream<Path> files = Files.list(data)) {
                    for (Path file : files.toList()) {
                        FORMATTED.put(file.getFileName().toString(), Files.readAllBytes(file));
                    }
                }
                return;
            }
            Files.createDirectory(data);
            for (Map.Entry<String, byte[]> file : FORMATTED.entrySet()) {
                Files.write(data.resolve(file.getKey()), file.getValue());
            }
        }
    }

    /** Starts a broker whose data come to lie below an existing directory. */
    public static KafkaBroker in(Path directory) {
        return in(directory, Access.OPEN);
    }

    /** Starts one that sends clients to {@link #proxy}, which the caller starts. */
    public static KafkaBroker behindProxy(Path directory) {
        return in(directory, Access.PROXIED);
    }

    /** Starts one that takes TLS and a password only, see {@link #clientProperties}. */
    public static KafkaBroker secured(Path directory) {
        return in(directory, Access.SECURED);
    }

    private static KafkaBroker in(Path directory, Access access) {
        try {
            return new KafkaBroker(Files.createTempDirectory(directory, "kafka-"), access);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts what stands between it and its clients. */
    public TcpProxy proxy() {
        return TcpProxy.between(advertised, port);
    }

    private Path keyStore() {
        return folder.resolve("broker.p12");
    }

    private void makeCertificate() {
        Program.ok(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "san=ip:127.0.0.1",
                "-validity",
                "2",
                "-alias",
                "broker",
                "-storetype",
                "PKCS12",
                "-keystore",
                keyStore().toString(),
                "-storepass",
                "changeit");
    }

    /** Returns the properties that a client of a secured broker needs. */
    public Map<String, String> clientProperties() {
        return Map.of(
                "security.protocol", "SASL_SSL",
                "sasl.mechanism", "PLAIN",
                "sasl.jaas.config", LOGIN + " required username=\"chagres\" password=\"secret\";",
                "ssl.truststore.location", keyStore().toString(),
                "ssl.truststore.password", "changeit");
    }

    private String properties() {
        return folder.resolve("server.properties").toString();
    }

    private static List<String> java(String... main) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        command.addAll(List.of(main));
        return command;
    }

    private Process start() {
        try (Spent.Span _ = Spent.on(Spending.SERVERS)) {
            Process started = new ProcessBuilder(java("kafka.Kafka", properties()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            folder.resolve("log").toFile()))
                    .start();
            RUNNING.add(started);
            Await.until("Kafka takes connections", () -> answers(started));
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answers(Process started) {
        if (!started.isAlive()) {
            throw new AssertionError("Kafka ended with " + started.exitValue() + ", see " + folder.resolve("log"));
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns what clients take as {@code bootstrap.servers}. */
    public String address() {
        return "127.0.0.1:" + advertised;
    }

    /** Waits until it has ended by itself, as it does when its disk is full. */
    public void awaitEnd() {
        Await.until("Kafka ends", () -> !process.isAlive());
    }

    /** Ends it with SIGKILL, if it runs. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
        RUNNING.remove(process);
    }

    /** Starts it again with the data it has. */
    public void restart() {
        kill();
        process = start();
    }

    @Override
    public void close() {
        kill();
        Program.ok("rm", "-rf", "--one-file-system", folder.toString());
    }
}
