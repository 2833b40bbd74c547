package io.chagres.cli.notice;

import io.chagres.linux.MonotonicClock;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Follows the notices of a cloud on a thread of its own until there is one, or it is closed. A service that does not
 * answer is asked again, and said so once.
 */
public final class NoticeWatch implements AutoCloseable {
    /** Where services are, if not where the clouds have them. */
    public static final String ENDPOINT = "CHAGRES_NOTICE_ENDPOINT";

    private static final long MAX_PAUSE_MS = 30_000;

    private final List<NoticeSource> sources = new ArrayList<>();
    private final List<MetadataService> services = new ArrayList<>();
    private final Consumer<String> notices;
    private final Consumer<String> problems;
    private final Thread thread;
    private volatile boolean closed;

    private NoticeWatch(
            Provider provider, Map<String, String> environment, Consumer<String> notices, Consumer<String> problems) {
        this.notices = notices;
        this.problems = problems;
        String given = environment.getOrDefault(ENDPOINT, "");
        if (provider == Provider.AWS || provider == Provider.AUTO) {
            sources.add(new NoticeSource.Aws(service(given, "http://169.254.169.254")));
        }
        if (provider == Provider.GCP || provider == Provider.AUTO) {
            sources.add(new NoticeSource.Gcp(service(given, "http://169.254.169.254"))); // metadata.google.internal
        }
        if (provider == Provider.AZURE || provider == Provider.AUTO) {
            sources.add(new NoticeSource.Azure(service(given, "http://169.254.169.254")));
        }
        thread = new Thread(this::run, "chagres-notice");
        thread.setDaemon(true);
    }

    /**
     * Begins to follow.
     *
     * @param environment may name another endpoint
     * @param notices hears the notice in words, at most once
     * @param problems hears what a person should know
     */
    public static NoticeWatch start(
            Provider provider, Map<String, String> environment, Consumer<String> notices, Consumer<String> problems) {
        NoticeWatch watch = new NoticeWatch(provider, environment, notices, problems);
        watch.thread.start();
        return watch;
    }

    private MetadataService service(String given, String usual) {
        MetadataService service = new MetadataService(URI.create(given.isEmpty() ? usual : given));
        services.add(service);
        return service;
    }

    private void run() {
        NoticeSource source = null;
        String said = "";
        long failures = 0;
        while (!closed) {
            long pauseMs;
            try {
                source = source == null ? choose() : source;
                String notice = source.ask();
                if (notice != null) {
                    notices.accept("notice of " + source.name() + ": " + notice);
                    return;
                }
                if (failures > 0) {
                    problems.accept("the metadata service answers again; its notices are heard");
                }
                failures = 0;
                said = "";
                pauseMs = source.interval().toMillis();
            } catch (IOException | IllegalArgumentException e) {
                if (closed) {
                    return;
                }
                failures++;
                if (!said.equals(e.getMessage())) {
                    said = String.valueOf(e.getMessage());
                    problems.accept("no notice can be heard from the metadata service (" + said
                            + "); files are shipped, it is asked again");
                }
                pauseMs = Math.min(MAX_PAUSE_MS, 500L << Math.min(failures, 6));
            }
            pause(pauseMs);
        }
    }

    /** Returns the source that answers as it should; a single one is not asked. */
    private NoticeSource choose() throws IOException {
        if (sources.size() == 1) {
            return sources.getFirst();
        }
        List<String> answers = new ArrayList<>();
        for (NoticeSource each : sources) {
            try {
                each.ask();
                return each;
            } catch (IOException e) {
                answers.add(each.name() + ": " + e.getMessage());
            }
        }
        throw new IOException("no cloud answers as its own; " + String.join("; ", answers));
    }

    private void pause(long ms) {
        long untilMs = MonotonicClock.nowMs() + ms;
        while (!closed && MonotonicClock.nowMs() < untilMs) {
            LockSupport.parkNanos(
                    Duration.ofMillis(untilMs - MonotonicClock.nowMs()).toNanos());
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        services.forEach(MetadataService::close);
    }
}
