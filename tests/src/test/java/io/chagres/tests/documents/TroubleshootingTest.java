package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Each message in the code has a heading in docs/TROUBLESHOOTING.md, and no heading is of a message that is gone.
 * Messages are found where they leave: in the arguments of calls that tell a person something, in failures of commands
 * that are not about the command line, in refusals to run beside another, and in the ending that every failure gets.
 */
@Tag("long")
class TroubleshootingTest {
    private static final String LITERAL = "\"((?:[^\"\\\\\\n]|\\\\.)*)\"";
    private static final Pattern COMMENT = Pattern.compile(LITERAL + "|//[^\\n]*|(?s:/\\*.*?\\*/)");
    private static final Pattern JOINED = Pattern.compile("(?<!\\\\)\"\\s*\\+\\s*\"");
    private static final Pattern TELLS = Pattern.compile("\\b(?:(?:report|reporter|listener|health|problems|messages)"
            + "\\s*\\.(?:message|problem|accept)|notes\\.say|once|leaveOut|losses\\s*\\.(?:lost|unread)"
            + "|new CommandFailure)\\("
            + "|context\\.err\\(\\)\\s*\\.println\\(");
    private static final Pattern REFUSES = Pattern.compile("\\bsuper\\(");

    /** A text that says something by itself; a shorter one comes from elsewhere, or is said with more. */
    private static final Pattern SENTENCE = Pattern.compile("\\p{L}{2,}[^\\p{L}]+\\p{L}{2,}");

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String folder : List.of("ship", "cli", "watch", "stores/s3", "archive")) {
            try (Stream<Path> files =
                    Files.walk(Repository.root().resolve(folder).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> !folder.equals("archive")
                                || file.endsWith("FencedException.java")
                                || file.endsWith("FleetSearch.java")
                                || file.endsWith("PatientStore.java"))
                        .sorted()
                        .forEach(sources::add);
            }
        }
        return sources;
    }

    /** Returns a source without comments, and with each literal in one piece. */
    private static String code(Path source) throws IOException {
        String text = COMMENT.matcher(Files.readString(source))
                .replaceAll(hit -> hit.group(1) == null ? "" : java.util.regex.Matcher.quoteReplacement(hit.group()));
        return JOINED.matcher(text).replaceAll("");
    }

    /** Returns the text between a bracket and its closing bracket. */
    private static String arguments(String code, int open) {
        int depth = 0;
        boolean quoted = false;
        for (int i = open; i < code.length(); i++) {
            char c = code.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && c == '(') {
                depth++;
            } else if (!quoted && c == ')' && --depth == 0) {
                return code.substring(open, i);
            }
        }
        throw new AssertionError("a bracket is not closed: " + code.substring(open, open + 40));
    }

    private static List<String> literals(String code) {
        return Pattern.compile(LITERAL)
                .matcher(code)
                .results()
                .map(hit -> hit.group(1).replace("\\\"", "\"").replace("\\n", "\n"))
                .toList();
    }

    private static List<String> messages() throws IOException {
        List<String> messages = new ArrayList<>();
        for (Path source : sources()) {
            String name = String.valueOf(source.getFileName());
            String code = code(source);
            if (name.equals("FailureReport.java")) {
                String ends = code.substring(code.indexOf("String sentence("), code.indexOf("boolean isPath("))
                        + code.substring(code.indexOf("String hint("), code.indexOf("String origin("));
                Stream.of(ends.split("->"))
                        .map(end -> String.join("\u2026", literals(end)))
                        .filter(TroubleshootingTest::isSentence)
                        .forEach(messages::add);
            }
            Pattern leaves = name.endsWith("Exception.java") ? REFUSES : TELLS;
            for (MatchResult told : leaves.matcher(code).results().toList()) {
                String arguments = arguments(code, told.end() - 1);
                String message = String.join("\u2026", literals(arguments));
                if (!arguments.contains("ExitCode.USAGE") && isSentence(message)) {
                    messages.add(message);
                }
            }
        }
        return messages;
    }

    private static boolean isSentence(String text) {
        return SENTENCE.matcher(text.replaceAll("chagres [a-z]+: ", "")).find();
    }

    private static List<String> headings() throws IOException {
        return Files.readString(Repository.root().resolve("docs/TROUBLESHOOTING.md"))
                .lines()
                .filter(line -> line.startsWith("### `"))
                .map(line -> line.substring(5, line.length() - 1))
                .toList();
    }

    private static boolean isOf(String heading, String message) {
        String parts = Stream.of(heading.split("\u2026"))
                .filter(part -> !part.isEmpty())
                .map(Pattern::quote)
                .collect(Collectors.joining("(?s:.*)"));
        return Pattern.compile(parts).matcher(message).find();
    }

    @Test
    void eachMessageHasAHeading() throws IOException {
        List<String> headings = headings();
        assertThat(messages())
                .hasSizeGreaterThan(50)
                .filteredOn(message -> headings.stream().noneMatch(heading -> isOf(heading, message)))
                .as("messages without a heading in docs/TROUBLESHOOTING.md")
                .isEmpty();
    }

    @Test
    void eachHeadingIsOfAMessage() throws IOException {
        List<String> said = new ArrayList<>();
        for (Path source : sources()) {
            for (String method : code(source).split("\\n    }\\n")) {
                said.add(String.join("\u2026", literals(method)));
            }
        }
        assertThat(headings())
                .doesNotHaveDuplicates()
                .filteredOn(heading -> said.stream().noneMatch(message -> isOf(heading, message)))
                .as("headings of messages that nothing says")
                .isEmpty();
    }
}
