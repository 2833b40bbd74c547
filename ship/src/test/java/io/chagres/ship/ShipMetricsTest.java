package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.ship.metrics.Metric;
import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShipMetricsTest {
    private static final Pattern SAMPLE = Pattern.compile("([a-z_]+)(?:\\{([^}]*)})? (NaN|[-+0-9.Ee]+)");
    private static final Pattern NAMED = Pattern.compile("\\bchagres_[a-z_]+\\b");

    @TempDir
    private Path temp;

    private static Map<String, Double> values(String text) {
        Map<String, Double> values = new HashMap<>();
        for (String line : text.lines().filter(each -> !each.startsWith("#")).toList()) {
            Matcher sample = SAMPLE.matcher(line);
            assertThat(sample.matches()).as(line).isTrue();
            String key = sample.group(1) + (sample.group(2) == null ? "" : "{" + sample.group(2) + "}");
            assertThat(values.put(key, Double.valueOf(sample.group(3))))
                    .as("once: %s", key)
                    .isNull();
        }
        return values;
    }

    @Test
    void countsWhatItShips() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            byte[] bytes = "a line\n".repeat(1000).getBytes(StandardCharsets.UTF_8);
            ShippedTree.append(shipped.file("app.log"), bytes);
            Shipper shipper = shipped.shipper();
            shipped.settle();
            Metrics metrics = shipper.metrics();
            Map<String, Double> values = values(metrics.text(false));
            assertThat(values)
                    .containsEntry("chagres_at_risk_bytes", 0.0)
                    .containsEntry("chagres_at_risk_seconds", 0.0)
                    .containsEntry("chagres_scanning", 0.0)
                    .containsEntry("chagres_files", 1.0)
                    .containsEntry("chagres_overdue_files", 0.0)
                    .containsEntry("chagres_store_up", 1.0)
                    .containsKeys("chagres_drain_seconds", "chagres_drain_left_bytes{within=\"30s\"}")
                    .containsEntry("chagres_shipped_bytes_total", (double) bytes.length)
                    .containsEntry("chagres_read_bytes_total", (double) bytes.length)
                    .containsEntry("chagres_lag_seconds_count", 1.0)
                    .containsEntry("chagres_retries_total{cause=\"full\"}", 0.0);
            assertThat(values.get("chagres_commits_total")).isPositive();
            assertThat(values.get("chagres_commit_seconds_count")).isEqualTo(values.get("chagres_commits_total"));
            assertThat(values.get("chagres_watches")).isPositive();
            assertThat(values.get("chagres_oldest_look_seconds")).isBetween(0.0, 60.0);
        }
    }

    @Test
    void keepsToTheConventionsOfNames() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            Set<String> told = new HashSet<>();
            String last = "";
            for (Metric metric : shipped.shipper().metrics().all()) {
                assertThat(metric.name()).matches("[a-z][a-z_]*[a-z]").doesNotEndWith("_total");
                assertThat(metric.help()).endsWith(".").doesNotContain("\n");
                assertThat(metric.name().equals(last) || told.add(metric.name()))
                        .as("samples of %s follow each other", metric.name())
                        .isTrue();
                last = metric.name();
                if (metric instanceof Metric.Durations) {
                    assertThat(metric.name()).endsWith("_seconds");
                }
            }
        }
    }

    /** The metrics that the command line adds; its tests look for these. */
    private static final List<String> OF_THE_COMMAND =
            List.of("chagres_config_last_reload_successful", "chagres_archive_misplaced");

    @ParameterizedTest
    @ValueSource(strings = {"prometheus/chagres.rules.yml", "grafana/chagres.json"})
    void whatIsPackagedNamesOnlyMetricsThatExist(String file) throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            Set<String> there = new HashSet<>();
            values(shipped.shipper().metrics().text(false))
                    .keySet()
                    .forEach(key -> there.add(key.replaceFirst("\\{.*", "")));
            Set<String> named = new TreeSet<>();
            Path packaged = Path.of("..", "packaging").resolve(file);
            for (String line : Files.readAllLines(packaged)) {
                if (List.of("expr", "query").stream()
                        .anyMatch(line.replace("\"", " ").strip()::startsWith)) {
                    Matcher each = NAMED.matcher(line);
                    while (each.find()) {
                        named.add(each.group());
                    }
                }
            }
            assertThat(named).hasSizeGreaterThan(5);
            named.removeAll(OF_THE_COMMAND);
            assertThat(there).containsAll(named);
        }
    }
}
