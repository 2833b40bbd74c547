package io.chagres.tests.faults;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The rights that a script of {@code packaging/policies} grants, as its store applies them to requests. */
interface Grants {
    String CONTAINER = FaultBench.BUCKET;
    String PREFIX = "archive";

    /** Says whether a request may be done. */
    boolean allows(String method, String target);

    /** Runs a script with a client of the cloud that only notes its arguments, and returns them. */
    static List<List<String>> noted(Path scratch, String client, String script, String... arguments)
            throws IOException {
        Path notes = scratch.resolve("notes");
        Path program = Files.writeString(
                Files.createDirectories(scratch.resolve("bin")).resolve(client),
                "#!/bin/sh\nprintf '%s\\0' \"$@\" >>" + notes + "\nprintf '\\n\\0' >>" + notes + "\n");
        program.toFile().setExecutable(true);
        List<String> command = new ArrayList<>(List.of("env", "PATH=" + program.getParent() + ":/usr/bin:/bin", "sh"));
        command.add(
                Repository.root().resolve("packaging/policies").resolve(script).toString());
        command.addAll(List.of(arguments));
        Program.ok(command.toArray(String[]::new));
        List<List<String>> calls = new ArrayList<>();
        List<String> call = new ArrayList<>();
        for (String word : Files.readString(notes).split("\0")) {
            if (word.equals("\n")) {
                calls.add(call);
                call = new ArrayList<>();
            } else {
                call.add(word);
            }
        }
        return calls;
    }

    /** Returns the value of an option, {@code --name=value} or {@code --name value}. */
    static String option(List<String> call, String name) {
        int at = call.indexOf(name);
        return at >= 0
                ? call.get(at + 1)
                : call.stream()
                        .filter(word -> word.startsWith(name + "="))
                        .map(word -> word.substring(name.length() + 1))
                        .findFirst()
                        .orElseThrow();
    }

    /** Returns a parameter of a request's query; empty if it is absent. */
    static String parameter(String target, String name) {
        String query = URI.create(target).getRawQuery();
        for (String pair : query == null ? new String[0] : query.split("&")) {
            if (pair.startsWith(name + "=")) {
                return decoded(pair.substring(name.length() + 1));
            }
        }
        return "";
    }

    static String decoded(String escaped) {
        return URLDecoder.decode(escaped.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /**
     * Evaluates an expression of conditions, negations, {@code &&}, {@code ||} and parentheses. An expression that it
     * does not understand fails.
     *
     * @param condition what one looks like, and what it is worth
     */
    static boolean holds(String expression, Pattern condition, Function<MatchResult, Boolean> truth) {
        String left = condition
                .matcher(expression)
                .replaceAll(match -> truth.apply(match) ? "T" : "F")
                .replaceAll("\\s", "");
        for (String before = ""; !before.equals(left); ) {
            before = left;
            left = left.replace("(T)", "T")
                    .replace("(F)", "F")
                    .replace("!T", "F")
                    .replace("!F", "T");
            left = left.replace("T&&T", "T").replaceAll("F&&[TF]|T&&F", "F");
            left = left.replaceAll("(?<![&!])F\\|\\|F(?!&)", "F")
                    .replaceAll("(?<![&!])(T\\|\\|[TF]|F\\|\\|T)(?!&)", "T");
        }
        return switch (left) {
            case "T" -> true;
            case "F" -> false;
            default -> throw new AssertionError("not understood: " + left + " of " + expression);
        };
    }
}
