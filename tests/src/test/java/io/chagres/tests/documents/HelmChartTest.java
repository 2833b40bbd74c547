package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The chart of {@code packaging/helm}, and the manifests that are made from it. */
@Tag("it")
class HelmChartTest {
    private static final Path PACKAGING = Repository.root().resolve("packaging");
    private static final String CHART = PACKAGING.resolve("helm/chagres").toString();

    @TempDir
    Path directory;

    private static String helm;

    @BeforeAll
    static void require() {
        helm = Requires.goProgram("helm", "helm.sh/helm/v3/cmd/helm@v3.19.0").toString();
    }

    private static String values(String name) {
        return CHART + "/" + name;
    }

    @ParameterizedTest
    @ValueSource(strings = {"values.yaml", "all-values.yaml"})
    void nothingIsWrongWithTheChart(String values) {
        Program lint = Program.run(List.of(helm, "lint", "--strict", CHART, "--values", values(values)));
        assertThat(lint.exitCode())
                .as(new String(lint.out(), StandardCharsets.UTF_8))
                .isZero();
    }

    /** The schemas are those of Kubernetes; tests/src/test/resources/kubernetes/schema.py says how they were taken. */
    @ParameterizedTest
    @ValueSource(strings = {"values.yaml", "all-values.yaml", "manifests"})
    void kubernetesKnowsEachFieldOfThem(String what) throws IOException {
        String kubeconform = Requires.goProgram("kubeconform", "github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0")
                .toString();
        Path schema = Repository.root().resolve("tests/src/test/resources/kubernetes/schema.json");
        List<String> command =
                new ArrayList<>(List.of(kubeconform, "-strict", "-summary", "-schema-location", schema.toString()));
        int documents = 0;
        if (what.equals("manifests")) {
            for (String name : List.of("daemonset", "compact", "sidecar", "job")) {
                Path file = PACKAGING.resolve("kubernetes/" + name + ".yaml");
                command.add(file.toString());
                documents += kinds(Files.readString(file));
            }
        } else {
            String rendered = Program.ok(
                    helm, "template", "chagres", CHART, "--kube-version", "1.33.1", "--values", values(what));
            command.add(Files.writeString(directory.resolve("rendered.yaml"), rendered)
                    .toString());
            documents = kinds(rendered);
        }
        Program program = Program.run(command);
        String said = new String(program.out(), StandardCharsets.UTF_8);
        assertThat(program.exitCode()).as(said + program.err()).isZero();
        assertThat(documents).isGreaterThan(5);
        assertThat(said).contains("Valid: " + documents + ", Invalid: 0, Errors: 0, Skipped: 0");
    }

    /** A field that is misspelt is found, so that the test above means something. */
    @Test
    void whatKubernetesDoesNotKnowIsFound() throws IOException {
        String kubeconform = Requires.goProgram("kubeconform", "github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0")
                .toString();
        Path schema = Repository.root().resolve("tests/src/test/resources/kubernetes/schema.json");
        String good = Files.readString(PACKAGING.resolve("kubernetes/daemonset.yaml"));
        String bad = good.replace("readOnlyRootFilesystem", "readOnlyRootFileSystem");
        assertThat(bad).isNotEqualTo(good);
        Path file = Files.writeString(directory.resolve("bad.yaml"), bad);
        Program program =
                Program.run(List.of(kubeconform, "-strict", "-schema-location", schema.toString(), file.toString()));
        assertThat(program.exitCode()).isOne();
        assertThat(new String(program.out(), StandardCharsets.UTF_8)).contains("readOnlyRootFileSystem");
    }

    private static int kinds(String yaml) {
        return (int) Pattern.compile("^kind: ", Pattern.MULTILINE)
                .matcher(yaml)
                .results()
                .count();
    }

    @Test
    void theManifestsAreMadeFromTheChart() throws IOException {
        String script = PACKAGING.resolve("kubernetes/render.sh").toString();
        Program.ok("env", "HELM=" + helm, script, directory.toString());
        for (String name : List.of("daemonset.yaml", "compact.yaml", "sidecar.yaml")) {
            assertThat(PACKAGING.resolve("kubernetes/" + name))
                    .as("made by packaging/kubernetes/render.sh")
                    .hasContent(Files.readString(directory.resolve(name)));
        }
    }

    @Test
    void theChartHasTheVersionOfTheProgram() throws IOException {
        String pom = Files.readString(Repository.root().resolve("pom.xml"));
        String version = Pattern.compile("<version>(.*)</version>")
                .matcher(pom)
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
        assertThat(Path.of(CHART, "Chart.yaml")).content().contains("\nversion: " + version + "\n");
        assertThat(Path.of(CHART, "Chart.yaml")).content().contains("\nappVersion: " + version + "\n");
    }
}
