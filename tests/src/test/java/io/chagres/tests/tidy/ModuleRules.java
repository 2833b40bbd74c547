package io.chagres.tests.tidy;

import com.sun.source.tree.RequiresTree;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The modules that each module may require: the arrows point down only. */
final class ModuleRules {
    private static final Map<String, List<String>> DIRECT = Map.ofEntries(
            direct("foreign", "org.jspecify"),
            direct("linux", "io.chagres.foreign"),
            direct("watch", "io.chagres.linux"),
            direct("fuse", "io.chagres.linux", "jdk.jfr"),
            direct("dedupe", "io.chagres.watch"),
            direct("examples", "io.chagres.fuse", "io.chagres.watch"),
            direct("faultfs", "io.chagres.fuse", "info.picocli"),
            direct("archive", "io.chagres.linux", "com.github.luben.zstd_jni"),
            direct("ship", "io.chagres.watch", "io.chagres.archive", "jdk.jfr"),
            direct("mount", "io.chagres.archive", "io.chagres.fuse"),
            direct("forward", "io.chagres.archive"),
            direct(
                    "cli",
                    "io.chagres.ship",
                    "io.chagres.mount",
                    "io.chagres.dedupe",
                    "io.chagres.forward",
                    "io.chagres.faultfs",
                    "info.picocli",
                    "org.apache.commons.compress",
                    "org.tomlj",
                    "org.tukaani.xz",
                    "java.net.http",
                    "jdk.httpserver",
                    "jdk.unsupported"),
            Map.entry("info.picocli", List.of("java.sql")),
            Map.entry("org.apache.commons.compress", List.of("org.apache.commons.io")),
            Map.entry("org.tomlj", List.of()));

    private ModuleRules() {}

    private static Map.Entry<String, List<String>> direct(String module, String... required) {
        return Map.entry("io.chagres." + module, List.of(required));
    }

    /** Returns what is wrong with a directive, or null. */
    static @Nullable String check(String module, RequiresTree directive) {
        if (!DIRECT.containsKey(module)) {
            return "module " + module + " has no place in the order of modules: give it one in ModuleRules";
        }
        String required = directive.getModuleName().toString();
        Set<String> allowed = new HashSet<>();
        collect(module, allowed);
        return allowed.contains(required) ? null : module + " may require " + allowed + ", not " + required;
    }

    private static void collect(String module, Set<String> allowed) {
        for (String required : DIRECT.getOrDefault(module, List.of())) {
            allowed.add(required);
            collect(required, allowed);
        }
    }
}
