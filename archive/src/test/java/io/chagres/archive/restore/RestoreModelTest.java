package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.testing.Host;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random histories of a tree. A restore of the last moment or of a past one gives the tree that stood, and nothing
 * else. Files that are gone are in a tree of their own, and both trees hold each version once.
 */
@Tag("long")
class RestoreModelTest extends RestoreFixture {
    private static final int COMMITS = 12;
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final RandomGenerator random = Seeds.random(Seeds.next("RestoreModelTest"));
    private final List<String> paths = new ArrayList<>();

    RestoreModelTest(@TempDir Path directory) {
        super(directory);
        for (String first : NAMES) {
            paths.add("/" + first);
            for (String second : NAMES) {
                paths.add("/" + first + "/" + second);
                NAMES.forEach(third -> paths.add("/" + first + "/" + second + "/" + third));
            }
        }
    }

    /** A tree at a moment: a path is a directory, a link or a version, by its number. */
    private static final class Model {
        final TreeMap<String, String> tree = new TreeMap<>();
        final Map<Long, String> contents = new HashMap<>();
        final Set<Long> superseded = new HashSet<>();

        Model copy() {
            Model copy = new Model();
            copy.tree.putAll(tree);
            copy.contents.putAll(contents);
            copy.superseded.addAll(superseded);
            return copy;
        }

        boolean isDirectory(String path) {
            return path.isEmpty() || "directory".equals(tree.get(path));
        }

        List<String> below(String path) {
            return tree.keySet().stream()
                    .filter(each -> each.startsWith(path + "/"))
                    .toList();
        }

        void remove(String path) {
            below(path).forEach(tree::remove);
            tree.remove(path);
        }

        Set<Long> named() {
            Set<Long> named = new HashSet<>();
            tree.values().stream().filter(each -> each.startsWith("version ")).forEach(each -> named.add(idOf(each)));
            return named;
        }

        static long idOf(String version) {
            return Long.parseLong(version.substring("version ".length()));
        }

        /** What a restored tree must look like. */
        Map<String, String> shown() {
            Map<String, String> shown = new TreeMap<>();
            tree.forEach((path, what) ->
                    shown.put(path, what.startsWith("version ") ? "file " + contents.get(idOf(what)) : what));
            return shown;
        }
    }

    @Test
    void whatIsRestoredIsTheTreeThatStood() throws IOException {
        for (int run = Share.count(60); run > 0; run--) {
            history(Integer.toHexString(0x1000 + run).repeat(4), "run" + run);
        }
    }

    private void history(String id, String name) throws IOException {
        Model model = new Model();
        Map<Long, Model> moments = new TreeMap<>();
        List<String> done = new ArrayList<>();
        try (Host host = new Host(store, id, name)) {
            for (int commit = 0; commit < COMMITS; commit++) {
                for (int i = random.nextInt(1, 8); i > 0; i--) {
                    done.add(change(host, model));
                }
                moments.put(host.commit(), model.copy());
            }
        }
        for (Map.Entry<Long, Model> moment : moments.entrySet()) {
            boolean last = moment.getKey() == moments.size();
            if (last || random.nextInt(4) == 0) {
                isRestored(
                        id, name, last ? PointInTime.NOW : PointInTime.seq(moment.getKey()), moment.getValue(), done);
            }
        }
    }

    private String change(Host host, Model model) throws IOException {
        String path = paths.get(random.nextInt(paths.size()));
        String parent = path.substring(0, path.lastIndexOf('/'));
        String there = model.tree.get(path);
        boolean free = there == null && model.isDirectory(parent);
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                if (free || (there != null && there.startsWith("version "))) { // made, or replaced by a rename
                    long version = host.file(path, "");
                    append(host, model, version);
                    model.tree.put(path, "version " + version);
                }
            }
            case 2 -> {
                if (there != null && there.startsWith("version ")) {
                    append(host, model, Model.idOf(there));
                }
            }
            case 3 -> {
                if (there != null) {
                    host.remove(path);
                    model.remove(path);
                }
            }
            case 4 -> rename(host, model, path, paths.get(random.nextInt(paths.size())));
            case 5 -> {
                if (free) {
                    host.directory(path);
                    model.tree.put(path, "directory");
                }
            }
            case 6 -> {
                if (free) {
                    host.symlink(path, "/where/ever");
                    model.tree.put(path, "link /where/ever");
                }
            }
            default -> linkOrTruncate(host, model, path, free);
        }
        return path;
    }

    private void linkOrTruncate(Host host, Model model, String path, boolean free) throws IOException {
        String there = model.tree.get(path);
        List<Long> named = new ArrayList<>(model.named());
        if (free && !named.isEmpty()) {
            long version = named.get(random.nextInt(named.size()));
            host.name(path, version);
            model.tree.put(path, "version " + version);
        } else if (there != null && there.startsWith("version ")) {
            long old = Model.idOf(there);
            long fresh = host.file(path, "");
            append(host, model, fresh);
            model.tree.put(path, "version " + fresh);
            if (!model.named().contains(old)) {
                host.close(old, LogRecord.Reason.TRUNCATED);
                model.superseded.add(old);
            }
        }
    }

    private static void rename(Host host, Model model, String from, String to) {
        String parent = to.substring(0, to.lastIndexOf('/'));
        boolean possible = model.tree.containsKey(from)
                && model.isDirectory(parent)
                && !(to + "/").startsWith(from + "/")
                && !(from + "/").startsWith(to + "/");
        if (possible) {
            host.move(from, to);
            Map<String, String> moved = new TreeMap<>();
            model.below(from).forEach(each -> moved.put(to + each.substring(from.length()), model.tree.get(each)));
            moved.put(to, model.tree.get(from));
            model.remove(from);
            model.remove(to);
            model.tree.putAll(moved);
        }
    }

    private void append(Host host, Model model, long version) {
        String text = version + "," + random.nextInt(1000) + ";";
        host.inline(version, text);
        model.contents.merge(version, text, String::concat);
    }

    private void isRestored(String id, String name, PointInTime at, Model model, List<String> done) throws IOException {
        String into = name + "-" + at;
        RestoreOptions options = new RestoreOptions(
                io.chagres.archive.read.Address.parse(id + ":"),
                at,
                true,
                RestoreNameless.NONE,
                false,
                false,
                false,
                file -> true);
        RestoreSummary standing = restoreInto(into, options);
        Path tree = directory.resolve(into);
        assertThat(shown(tree.resolve(name))).as("%s after %s", at, done).isEqualTo(model.shown());

        restoreInto(into, options.with(false, RestoreNameless.ALL));
        assertThat(faults).isEmpty();
        List<String> nameless = model.contents.keySet().stream()
                .filter(version -> !model.named().contains(version))
                .map(model.contents::get)
                .sorted()
                .toList();
        assertThat(files(tree.resolve(".gone")))
                .as("gone %s after %s", at, done)
                .isEqualTo(nameless);
        GoneTree.Count all = standing.gone().plus(standing.earlier());
        assertThat(all)
                .isEqualTo(new GoneTree.Count(
                        nameless.size(),
                        nameless.stream().mapToLong(String::length).sum()));
        assertThat(shown(tree.resolve(name))).isEqualTo(model.shown());
        long superseded = model.superseded.stream()
                .filter(each -> !model.named().contains(each))
                .count();
        assertThat(standing.earlier().files()).isBetween(0L, superseded);

        restoreInto(into + "-gone", options.with(false, RestoreNameless.GONE));
        Path gone = directory.resolve(into + "-gone");
        assertThat(files(gone)).hasSize((int) standing.gone().files());
        assertThat(shown(tree.resolve(".gone"))).containsAllEntriesOf(shown(gone.resolve(".gone")));
    }

    private static List<String> files(Path top) throws IOException {
        return shown(top).values().stream()
                .filter(each -> each.startsWith("file "))
                .map(each -> each.substring("file ".length()))
                .sorted()
                .toList();
    }

    private static Map<String, String> shown(Path top) throws IOException {
        Map<String, String> shown = new TreeMap<>();
        if (Files.notExists(top)) {
            return shown;
        }
        try (Stream<Path> walk = Files.walk(top)) {
            for (Path path : walk.filter(each -> !each.equals(top)).toList()) {
                String what = Files.isSymbolicLink(path) ? "link " + Files.readSymbolicLink(path) : "directory";
                boolean file = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
                shown.put("/" + top.relativize(path), file ? "file " + Files.readString(path) : what);
            }
        }
        return shown;
    }
}
