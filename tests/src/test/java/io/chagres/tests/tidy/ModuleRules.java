package io.chagres.tests.tidy;

import com.sun.source.tree.RequiresTree;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which module may require which: the arrows point down only. */
final class ModuleRules {
    private static final Map<String, List<String>> DIRECT = Map.of(
            "io.chagres.foreign", List.of("org.jspecify"),
            "io.chagres.linux", List.of("io.chagres.foreign"),
            "io.chagres.watch", List.of("io.chagres.linux"),
            "io.chagres.fuse", List.of("io.chagres.linux", "jdk.jfr"),
            "io.chagres.dedupe", List.of("io.chagres.linux"),
            "io.chagres.examples", List.of("io.chagres.fuse"),
            "io.chagres.archive", List.of("io.chagres.linux", "com.github.luben.zstd_jni"),
            "io.chagres.ship", List.of("io.chagres.watch", "io.chagres.archive"),
            "io.chagres.cli", List.of("io.chagres.ship", "io.chagres.dedupe", "info.picocli", "jdk.unsupported"),
            "info.picocli", List.of("java.sql"));

    private ModuleRules() {}

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
