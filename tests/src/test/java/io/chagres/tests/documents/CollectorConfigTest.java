package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The configuration of an OpenTelemetry Collector that is packaged: it is whole, and asks where a ship answers. */
class CollectorConfigTest {
    private static final String CHECK = """
            import sys, yaml
            config = yaml.safe_load(open(sys.argv[1]))
            used = {kind: set() for kind in ('receivers', 'processors', 'exporters')}
            for pipeline in config['service']['pipelines'].values():
                for kind in used:
                    used[kind] |= set(pipeline[kind])
            for kind, names in used.items():
                assert names == set(config[kind]), kind
            for scrape in config['receivers']['prometheus']['config']['scrape_configs']:
                print(scrape.get('metrics_path', '/metrics'), *scrape['static_configs'][0]['targets'])
            """;

    @Test
    void isWholeAndAsksWhereAShipTells() throws IOException {
        Requires.pythonModule("yaml", "pyyaml==6.0.3");
        Path packaged = Repository.root().resolve("packaging/opentelemetry/collector.yaml");
        Program check = Program.run(List.of("python3", "-c", CHECK, packaged.toString()));
        assertThat(check.exitCode()).as(check.err()).isZero();
        assertThat(new String(check.out(), StandardCharsets.UTF_8)).isEqualTo("/metrics 127.0.0.1:7788\n");
        assertThat(Files.readString(Repository.root().resolve("docs/do/observe.md")))
                .contains("--http 127.0.0.1:7788", "packaging/opentelemetry/collector.yaml");
    }
}
