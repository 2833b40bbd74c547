package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each link of a document into this repository leads to a file that is there, and to a heading of it. */
class DocumentLinksTest {
    private static final Pattern CODE = Pattern.compile("(?s)^```.*?^```|`[^`\n]*`", Pattern.MULTILINE);
    private static final Pattern FENCED = Pattern.compile("(?s)^```.*?^```", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    /** Returns the anchors of a document's headings, as GitHub makes them. */
    private Set<String> anchors(Path document) throws IOException {
        Set<String> known = anchors.get(document);
        if (known == null) {
            known = new HashSet<>();
            String text = FENCED.matcher(Files.readString(document)).replaceAll("");
            Matcher heading = HEADING.matcher(text);
            while (heading.find()) {
                String title = heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1");
                String anchor = title.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w -]", "")
                        .strip()
                        .replace(' ', '-');
                for (int i = 1; !known.add(anchor); i++) {
                    anchor = anchor.replaceFirst("(-\\d+)?$", "-" + i);
                }
            }
            anchors.put(document, known);
        }
        return known;
    }

    @Test
    void leadSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int count = 0;
        for (Path document : Repository.files()) {
            if (!document.toString().endsWith(".md")) {
                continue;
            }
            Matcher link = LINK.matcher(CODE.matcher(Files.readString(document)).replaceAll(""));
            for (; link.find(); count++) {
                if (ELSEWHERE.matcher(link.group(1)).matches()) {
                    continue;
                }
                String[] parts = link.group(1).split("#", 2);
                Path target = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
                boolean leads = Files.exists(target)
                        && (parts.length == 1
                                || !target.toString().endsWith(".md")
                                || anchors(target.normalize()).contains(parts[1]));
                if (!leads) {
                    broken.add(Repository.root().relativize(document) + ": " + link.group(1));
                }
            }
        }
        assertThat(count).isGreaterThan(100);
        assertThat(broken).isEmpty();
    }

    /** A page of the benchmarks is reached from their first page. */
    @Test
    void leadFromTheIndexToEachDocument() throws IOException {
        Path docs = Repository.root().resolve("docs");
        String index = Files.readString(docs.resolve("README.md"));
        List<String> pages = Repository.files().stream()
                .filter(file -> file.startsWith(docs) && file.toString().endsWith(".md"))
                .map(file -> docs.relativize(file).toString())
                .filter(page -> !page.startsWith("benchmarks/") && !page.equals("README.md"))
                .toList();
        assertThat(pages).hasSizeGreaterThan(30).allSatisfy(page -> assertThat(index)
                .contains("](" + page + ")"));
    }
}
