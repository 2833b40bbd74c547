package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.KafkaBroker;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A broker whose disk is full ends; the missing records go in once it has room and runs again. */
@Tag("e2e")
@ExtendWith(FaultBench.Extension.class)
@Turn(value = 0, of = 2)
@Order(1)
class KafkaDiskFullTest {
    private static final int ROUNDS = 2;
    private static final List<String> TOPICS = List.of("forwarded", "shipped");

    @Test
    void bothWaysGoOnWhenThereIsRoom(FaultBench bench) throws IOException {
        Requires.root();
        Mounted disk = bench.tmpfs("disk", "size=64m");
        LineWriter writer = bench.writer("stream").open(bench.file("app.log")).lines(10);
        ShipProcess ship = bench.ship().awaitSettled(); // there is an archive
        try (KafkaBroker broker = KafkaBroker.in(disk.directory());
                ForwardProcess forward = ForwardProcess.start(
                        bench.root().resolve("forward.log"),
                        bench.address(),
                        "--to",
                        "kafka://" + broker.address() + "/forwarded")) {
            ShipProcess direct = bench.shipping()
                    .paths(bench.tree())
                    .to("kafka://" + broker.address() + "/shipped")
                    .state(bench.root().resolve("direct"))
                    .start();
            for (int round = 0; round < ROUNDS; round++) {
                awaitPublished(broker, writer);
                Path filler = disk.fill();
                writer.lines(20);
                broker.awaitEnd();
                writer.lines(20);
                Files.delete(filler);
                broker.restart();
            }
            ship.drain();
            direct.awaitSettled().drain();
            awaitPublished(broker, writer);
            assertThat(forward.terminate()).as(forward.said()).isZero();
            for (String topic : TOPICS) {
                Consumed.requireExact(Consumed.of(broker.address(), topic), List.of(writer));
            }
        }
    }

    private static void awaitPublished(KafkaBroker broker, LineWriter writer) {
        for (String topic : TOPICS) {
            Consumed.await(broker.address(), topic, writer.written());
        }
    }
}
