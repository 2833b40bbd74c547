package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.KafkaBroker;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Share;
import io.chagres.testkit.TcpProxy;
import io.chagres.testkit.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Faults between a forwarder and its broker: lost answers, transactions that take too long, TLS and passwords. */
@Tag("e2e")
@ExtendWith(FaultBench.Extension.class)
@Turn(value = 1, of = 2)
@Order(1)
class KafkaLinkFaultsTest {
    private static final int ROUNDS = Share.count(20);
    private static final String TOPIC = "logs";

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T closing(T what) {
        opened.add(what);
        return what;
    }

    private static Path properties(FaultBench bench, Map<String, String> of) throws IOException {
        String text = of.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue() + "\n")
                .collect(Collectors.joining());
        return Files.writeString(bench.root().resolve("kafka.properties"), text);
    }

    private ForwardProcess forward(FaultBench bench, KafkaBroker broker, Path properties, String... options) {
        List<String> arguments = new ArrayList<>(List.of(
                bench.address(),
                "--to",
                "kafka://" + broker.address() + "/" + TOPIC,
                "--properties",
                properties.toString()));
        arguments.addAll(List.of(options));
        return closing(ForwardProcess.start(bench.root().resolve("forward.log"), arguments.toArray(String[]::new)));
    }

    @Test
    void aLostAnswerIsFoundOutByReading(FaultBench bench) throws IOException {
        KafkaBroker broker = closing(KafkaBroker.behindProxy(bench.root()));
        TcpProxy proxy = closing(broker.proxy());
        Path hasty = properties(
                bench,
                Map.of(
                        "request.timeout.ms", "1000",
                        "delivery.timeout.ms", "1500",
                        "max.block.ms", "1500",
                        "default.api.timeout.ms", "1500"));
        LineWriter writer = bench.writer("stream").open(bench.file("app.log")).lines(10);
        ShipProcess ship = bench.ship();
        ForwardProcess forward = forward(bench, broker, hasty);
        for (int round = 0; round < ROUNDS; round++) {
            Consumed.await(broker.address(), TOPIC, writer.written());
            long before = troubles(forward);
            proxy.loseAnswers();
            writer.lines(20);
            Await.until("it has no answer", () -> troubles(forward) > before);
            proxy.heal();
            writer.lines(20);
        }
        ship.drain();
        Consumed.await(broker.address(), TOPIC, writer.written());
        assertThat(forward.terminate()).as(forward.said()).isZero();
        Consumed.requireExact(Consumed.of(broker.address(), TOPIC), List.of(writer));
    }

    private static long troubles(ForwardProcess forward) {
        return forward.said()
                .lines()
                .filter(line -> line.contains("trying again"))
                .count();
    }

    /** A forwarder that is stopped as a machine that sleeps finds its transaction ended by the broker. */
    @Test
    void aTransactionThatTakesTooLongIsBegunAgain(FaultBench bench) throws Exception {
        KafkaBroker broker = closing(KafkaBroker.in(bench.root()));
        Path hasty = properties(bench, Map.of("transaction.timeout.ms", "1000"));
        LineWriter writer = bench.writer("stream").open(bench.file("app.log")).lines(10);
        ShipProcess ship = bench.ship();
        ForwardProcess forward = forward(bench, broker, hasty);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            for (int round = 0; round < ROUNDS; round++) {
                long seen = writer.written();
                Consumed.await(broker.address(), TOPIC, seen);
                writer.lines(2000);
                Await.until("a transaction is open, or done", () -> ongoing(admin) || done(broker, writer));
                forward.signal("STOP");
                Await.until("the broker has ended it", () -> !ongoing(admin));
                writer.lines(10);
                forward.signal("CONT");
            }
        }
        ship.drain();
        Consumed.await(broker.address(), TOPIC, writer.written());
        assertThat(forward.terminate()).as(forward.said()).isZero();
        Consumed.requireExact(Consumed.of(broker.address(), TOPIC), List.of(writer));
    }

    private static boolean done(KafkaBroker broker, LineWriter writer) {
        return Consumed.of(broker.address(), TOPIC).size() >= writer.written();
    }

    private static boolean ongoing(Admin admin) {
        try {
            return admin.listTransactions().all().get().stream()
                    .anyMatch(each -> each.state() == TransactionState.ONGOING);
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Test
    void passwordsAndCertificatesComeFromAFile(FaultBench bench) throws IOException {
        KafkaBroker broker = closing(KafkaBroker.secured(bench.root()));
        Map<String, String> secrets = broker.clientProperties();
        LineWriter writer = bench.writer("stream").open(bench.file("app.log")).lines(10);
        bench.ship().drain();
        Path right = properties(bench, secrets);
        ForwardProcess forward = forward(bench, broker, right, "--once");
        assertThat(forward.awaitExit()).as(forward.said()).isZero();
        Consumed.requireExact(Consumed.of(broker.address(), TOPIC, secrets), List.of(writer));
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .to("kafka://" + broker.address() + "/shipped")
                .options("--properties", right.toString(), "--once")
                .start();
        assertThat(ship.awaitExit()).as(ship.report()).isZero();
        Consumed.requireExact(Consumed.of(broker.address(), "shipped", secrets), List.of(writer));
        Map<String, String> wrong = new java.util.HashMap<>(secrets);
        wrong.computeIfPresent("sasl.jaas.config", (key, login) -> login.replace("secret", "guessed"));
        ForwardProcess refused = forward(bench, broker, properties(bench, wrong), "--once", "--as", "other");
        assertThat(refused.awaitExit()).as(refused.said()).isEqualTo(1);
        assertThat(refused.said()).contains("Authentication failed").doesNotContain("guessed");
    }
}
