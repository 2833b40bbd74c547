package io.chagres.cli.notice;

import io.chagres.cli.notice.MetadataService.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The notices of one cloud about the end of this machine. Confined to one thread. */
sealed interface NoticeSource {
    /** How long a metadata service may take to answer. */
    Duration LIMIT = Duration.ofSeconds(5);

    /**
     * Asks once.
     *
     * @return the notice in words; null when there is none
     * @throws IOException when the service did not answer as it should
     */
    @Nullable
    String ask() throws IOException;

    /** Returns how long to wait before it is asked again. */
    Duration interval();

    /** Returns its name. */
    String name();

    /** Fails when an answer says neither yes nor no. */
    static void expect(boolean good, String what, Answer answer) throws IOException {
        if (!good) {
            throw new IOException(what + " answered with status " + answer.status());
        }
    }

    /** EC2, see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html. */
    final class Aws implements NoticeSource {
        private static final String META = "/latest/meta-data/";
        private static final int TOKEN_SECONDS = 21_600;

        private final MetadataService service;
        private @Nullable String token;

        Aws(MetadataService service) {
            this.service = service;
        }

        @Override
        public @Nullable String ask() throws IOException {
            String action = get("spot/instance-action");
            if (action != null) {
                String what = MetadataService.member(action, "action");
                String when = MetadataService.member(action, "time");
                if (what == null || when == null) {
                    throw new IOException("spot/instance-action is not the JSON that it should be");
                }
                return "the spot instance will " + what + " at " + when;
            }
            String rebalance = get("events/recommendations/rebalance");
            if (rebalance == null) {
                return null;
            }
            String when = MetadataService.member(rebalance, "noticeTime");
            if (when == null) {
                throw new IOException("events/recommendations/rebalance is not the JSON that it should be");
            }
            return "rebalance recommended at " + when;
        }

        /** Returns what lies there; null when nothing does. A token that has expired is renewed once. */
        private @Nullable String get(String what) throws IOException {
            for (boolean renewed = token == null; ; renewed = true) {
                token = token == null ? newToken() : token;
                Answer answer = service.ask("GET", META + what, LIMIT, "X-aws-ec2-metadata-token", token);
                if (answer.status() == 401) {
                    token = null;
                    if (!renewed) {
                        continue;
                    }
                }
                expect(answer.isGood() || answer.status() == 404, what, answer);
                return answer.isGood() ? answer.text() : null;
            }
        }

        private String newToken() throws IOException {
            Answer answer = service.ask(
                    "PUT",
                    "/latest/api/token",
                    LIMIT,
                    "X-aws-ec2-metadata-token-ttl-seconds",
                    Integer.toString(TOKEN_SECONDS));
            expect(answer.isGood(), "api/token", answer);
            String text = answer.text().strip();
            if (text.isEmpty() || !text.chars().allMatch(c -> c > ' ' && c < 127)) {
                throw new IOException("api/token answered with something else than a token");
            }
            return text;
        }

        @Override
        public Duration interval() {
            return Duration.ofSeconds(5); // as Amazon recommends
        }

        @Override
        public String name() {
            return "aws";
        }
    }

    /** Google, see https://cloud.google.com/compute/docs/instances/create-use-preemptible. */
    final class Gcp implements NoticeSource {
        private static final String PREEMPTED = "/computeMetadata/v1/instance/preempted";
        /** The service answers by then though nothing changed, and a connection that died is missed. */
        private static final int HOLD_SECONDS = 60;

        private final MetadataService service;
        private boolean waits;

        Gcp(MetadataService service) {
            this.service = service;
        }

        @Override
        public @Nullable String ask() throws IOException {
            String query = waits ? "?wait_for_change=true&timeout_sec=" + HOLD_SECONDS : "";
            Duration limit = waits ? LIMIT.plusSeconds(HOLD_SECONDS) : LIMIT;
            waits = false; // what a failure missed is asked for without waiting
            Answer answer = service.ask("GET", PREEMPTED + query, limit, "Metadata-Flavor", "Google");
            expect(answer.isGood(), "instance/preempted", answer);
            String said = answer.text().strip().toUpperCase(Locale.ROOT);
            if (!List.of("TRUE", "FALSE").contains(said)) {
                throw new IOException("instance/preempted says neither TRUE nor FALSE");
            }
            waits = said.equals("FALSE");
            return said.equals("TRUE") ? "the instance is preempted" : null;
        }

        @Override
        public Duration interval() {
            return Duration.ofMillis(100); // the service waits itself
        }

        @Override
        public String name() {
            return "gcp";
        }
    }

    /** Azure, see https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events. */
    final class Azure implements NoticeSource {
        private static final String EVENTS = "/metadata/scheduledevents?api-version=2020-07-01";
        private static final List<String> ENDS = List.of("Preempt", "Terminate", "Redeploy", "Reboot");
        /** The first request switches events on, which takes the service up to two minutes. */
        private static final Duration FIRST = Duration.ofSeconds(130);

        private final MetadataService service;
        private boolean answered;

        Azure(MetadataService service) {
            this.service = service;
        }

        @Override
        public @Nullable String ask() throws IOException {
            Answer answer = service.ask("GET", EVENTS, answered ? LIMIT : FIRST, "Metadata", "true");
            expect(answer.isGood(), "scheduledevents", answer);
            if (!answer.text().contains("\"Events\"")) {
                throw new IOException("scheduledevents is not the JSON that it should be");
            }
            answered = true;
            for (String event : answer.text().split("\"EventId\"")) {
                String type = Objects.requireNonNullElse(MetadataService.member(event, "EventType"), "");
                if (ENDS.contains(type)) {
                    String when = MetadataService.member(event, "NotBefore");
                    return type + (when == null || when.isEmpty() ? "" : ", not before " + when);
                }
            }
            return null;
        }

        @Override
        public Duration interval() {
            return Duration.ofSeconds(5);
        }

        @Override
        public String name() {
            return "azure";
        }
    }
}
