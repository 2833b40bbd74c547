package io.chagres.cli.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Await;
import io.chagres.testkit.ScriptedServer;
import io.chagres.testkit.ScriptedServer.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The metadata services of three clouds, as they answer and as they fail. */
@Tag("long")
final class NoticeTest {
    private static final Answer NOTHING = answer(404, "");
    private static final String ACTION = "{\"action\": \"terminate\", \"time\": \"2026-11-22T08:22:00Z\"}";

    private final ScriptedServer server = new ScriptedServer(answer(500, "broken"));
    private final MetadataService service = new MetadataService(server.endpoint());

    @AfterEach
    void close() {
        service.close();
        server.close();
    }

    private static Answer answer(int status, String body) {
        return new Answer(status, Map.of(), body);
    }

    private void answers(Answer... all) {
        server.clear();
        List.of(all).forEach(server::answer);
    }

    @Test
    void amazonSaysThatASpotInstanceEnds() throws IOException {
        NoticeSource aws = new NoticeSource.Aws(service);
        answers(answer(200, "TOKEN=="), NOTHING, NOTHING);
        assertThat(aws.ask()).isNull();
        answers(answer(200, ACTION));
        assertThat(aws.ask()).isEqualTo("the spot instance will terminate at 2026-11-22T08:22:00Z");
        assertThat(server.requests().getFirst())
                .startsWith("PUT /latest/api/token\n")
                .contains("x-aws-ec2-metadata-token-ttl-seconds: 21600");
        assertThat(server.requests().getLast())
                .startsWith("GET /latest/meta-data/spot/instance-action\n")
                .contains("x-aws-ec2-metadata-token: TOKEN==");
    }

    @Test
    void amazonRecommendsToRebalance() throws IOException {
        NoticeSource aws = new NoticeSource.Aws(service);
        answers(answer(200, "T"), NOTHING, answer(200, "{\"noticeTime\": \"2026-11-22T08:22:00Z\"}"));
        assertThat(aws.ask()).isEqualTo("rebalance recommended at 2026-11-22T08:22:00Z");
    }

    @Test
    void aTokenThatExpiredIsRenewedOnce() throws IOException {
        NoticeSource aws = new NoticeSource.Aws(service);
        answers(answer(200, "old"), NOTHING, NOTHING);
        assertThat(aws.ask()).isNull();
        answers(answer(401, ""), answer(200, "new"), answer(200, ACTION));
        assertThat(aws.ask()).contains("terminate");
        assertThat(server.requests().getLast()).contains("x-aws-ec2-metadata-token: new");
        answers(answer(401, ""), answer(200, "next"), answer(401, ""));
        assertThatThrownBy(aws::ask)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("401")
                .hasMessageNotContaining("next");
    }

    @Test
    void googleIsAskedToWaitForAChange() throws IOException {
        NoticeSource gcp = new NoticeSource.Gcp(service);
        answers(answer(200, "FALSE"));
        assertThat(gcp.ask()).isNull();
        answers(answer(200, "TRUE\n"));
        assertThat(gcp.ask()).isEqualTo("the instance is preempted");
        assertThat(server.requests().getFirst())
                .startsWith("GET /computeMetadata/v1/instance/preempted\n")
                .contains("metadata-flavor: Google");
        assertThat(server.requests().getLast()).contains("preempted?wait_for_change=true&timeout_sec=60\n");
    }

    @Test
    void googleIsAskedWithoutWaitingAfterAFailure() throws IOException {
        NoticeSource gcp = new NoticeSource.Gcp(service);
        answers(answer(200, "FALSE"));
        assertThat(gcp.ask()).isNull();
        answers(answer(503, ""));
        assertThatThrownBy(gcp::ask).hasMessageContaining("503");
        answers(answer(200, "TRUE"));
        assertThat(gcp.ask()).isNotNull();
        assertThat(server.requests().getLast()).startsWith("GET /computeMetadata/v1/instance/preempted\n");
    }

    @Test
    void azureSchedulesAnEvent() throws IOException {
        NoticeSource azure = new NoticeSource.Azure(service);
        answers(answer(200, "{\"DocumentIncarnation\":1,\"Events\":[]}"));
        assertThat(azure.ask()).isNull();
        answers(answer(200, """
                {"DocumentIncarnation":2,"Events":[
                 {"EventId":"a","EventType":"Freeze","NotBefore":"Mon, 19 Sep 2026 18:29:47 GMT"},
                 {"EventId":"b","EventStatus":"Scheduled","EventType":"Preempt","Resources":["vm"],
                  "NotBefore":"Tue, 20 Sep 2026 18:29:47 GMT"}]}"""));
        assertThat(azure.ask()).isEqualTo("Preempt, not before Tue, 20 Sep 2026 18:29:47 GMT");
        assertThat(server.requests().getLast())
                .startsWith("GET /metadata/scheduledevents?api-version=2020-07-01\n")
                .contains("metadata: true");
    }

    private NoticeSource source(Provider provider) {
        return switch (provider) {
            case AWS -> new NoticeSource.Aws(service);
            case GCP -> new NoticeSource.Gcp(service);
            default -> new NoticeSource.Azure(service);
        };
    }

    @ParameterizedTest
    @EnumSource(
            value = Provider.class,
            names = {"AWS", "GCP", "AZURE"})
    void whatIsNoAnswerIsNoNotice(Provider provider) {
        for (Answer bad : List.of(
                answer(500, ACTION),
                answer(302, ""),
                answer(200, "{\"action\": "),
                answer(200, ""),
                answer(200, "x".repeat(5_000_000)))) {
            answers(bad);
            assertThatThrownBy(source(provider)::ask).isInstanceOf(IOException.class);
        }
        answers(answer(200, "token"), answer(200, "{\"action\": \"term"));
        assertThatThrownBy(source(Provider.AWS)::ask).hasMessageContaining("not the JSON");
    }

    @Test
    void aServiceThatHangsIsNotWaitedFor() throws IOException {
        try (ServerSocket hangs = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                MetadataService of = new MetadataService(URI.create("http://127.0.0.1:" + hangs.getLocalPort()))) {
            assertThatThrownBy(() -> of.ask("GET", "/", Duration.ofMillis(300), "a", "b"))
                    .isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"AWS, 1", "AUTO, 3"})
    void aNoticeIsTakenOnceAfterFailuresThatAreSaidOnce(String provider, int services) {
        List<String> notices = new CopyOnWriteArrayList<>();
        List<String> problems = new CopyOnWriteArrayList<>();
        try (NoticeWatch watch = NoticeWatch.start(
                Provider.valueOf(provider),
                Map.of(NoticeWatch.ENDPOINT, server.endpoint().toString()),
                notices::add,
                problems::add)) {
            assertThat(watch).isNotNull();
            Await.until(
                    "each was asked twice and failed", () -> server.requests().size() >= 2 * services);
            assertThat(problems).hasSize(1).first().asString().contains("500", "asked again");
            server.answer("/latest/api/token", answer(200, "the-token"));
            server.answer("/latest/meta-data/spot/instance-action", answer(200, ACTION));
            Await.until("the notice is heard", () -> !notices.isEmpty());
        }
        assertThat(notices).containsExactly("notice of aws: the spot instance will terminate at 2026-11-22T08:22:00Z");
        assertThat(problems).noneMatch(each -> each.contains("the-token"));
    }
}
