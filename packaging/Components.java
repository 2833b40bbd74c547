import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares a list of components with the jars of a program: java packaging/Components.java LIST DIST VULNERABLE. Each
 * jar has to be in the list, by its digest or, if it is ours, by its name, and then its digest is written into it.
 * Jars inside a jar of ours have to be there as well. No component may be older than what the file VULNERABLE says.
 * Exits with 1 and a line for each fault.
 *
 * java packaging/Components.java runtime LIST RELEASE adds the runtime of a JDK, by its file 'release': packages hold
 * one for each architecture, and faults of Java become known under its version.
 */
final class Components {
    private static final Pattern OURS = Pattern.compile("(chagres-[a-z0-9-]+)-(\\d.*)\\.jar");
    private static final Pattern COMPONENT = Pattern.compile(
            "\"purl\" : \"pkg:maven/(?<group>[^/]+)/(?<name>[^@]+)@(?<version>[^?\"]+)");

    private final List<String> faults = new ArrayList<>();
    private String list;
    private int jars;

    private Components(String list) {
        this.list = list;
    }

    public static void main(String[] args) throws IOException {
        if (args[0].equals("runtime")) {
            Path list = Path.of(args[1]);
            Components components = new Components(Files.readString(list));
            components.addRuntime(Files.readString(Path.of(args[2])));
            Files.writeString(list, components.list);
            return;
        }
        Path file = Path.of(args[0]);
        Components components = new Components(Files.readString(file));
        try (Stream<Path> found = Files.walk(Path.of(args[1]))) {
            found.filter(path -> path.toString().endsWith(".jar")).sorted().forEach(components::check);
        }
        if (components.jars == 0) {
            components.faults.add("there is no jar in " + args[1]);
        }
        components.compare(Files.readAllLines(Path.of(args[2])));
        components.faults.forEach(fault -> System.err.println("build.sh: " + fault));
        Files.writeString(file, components.list);
        System.exit(components.faults.isEmpty() ? 0 : 1);
    }

    private void addRuntime(String release) {
        String version = field(release, "JAVA_RUNTIME_VERSION");
        String arch = field(release, "OS_ARCH");
        String purl = "pkg:generic/openjdk@" + version.replace("+", "%2B") + "?arch=" + arch;
        String component = """
                    {
                      "type" : "platform",
                      "bom-ref" : "%1$s",
                      "publisher" : "%2$s",
                      "name" : "openjdk",
                      "version" : "%3$s",
                      "description" : "The runtime of the packages for %4$s.",
                      "cpe" : "cpe:2.3:a:oracle:openjdk:%5$s:*:*:*:*:*:*:*",
                      "purl" : "%1$s"
                    },
                """.formatted(purl, field(release, "IMPLEMENTOR"), version, arch, field(release, "JAVA_VERSION"));
        String begin = "\n  \"components\" : [\n";
        int at = list.indexOf(begin);
        if (at < 0) {
            throw new IllegalArgumentException("there are no components in the list");
        }
        list = list.substring(0, at + begin.length()) + component + list.substring(at + begin.length());
    }

    private static String field(String release, String name) {
        Matcher line = Pattern.compile("(?m)^" + name + "=\"([^\"\\\\]+)\"$").matcher(release);
        if (!line.find()) {
            throw new IllegalArgumentException("the JDK does not say its " + name);
        }
        return line.group(1);
    }

    private void check(Path jar) {
        String name = String.valueOf(jar.getFileName());
        String digest = digest(jar);
        jars++;
        if (list.contains('"' + digest + '"')) {
            return;
        }
        Matcher ours = OURS.matcher(name);
        String found = "\"name\" : \"" + (ours.matches() ? ours.group(1) : name) + "\",\n";
        int at = list.indexOf(found);
        if (at < 0) {
            faults.add(name + " is in the program, and not in the list");
        } else {
            int end = list.indexOf('\n', at + found.length()) + 1; // behind the version
            String hashes = "      \"hashes\" : [ { \"alg\" : \"SHA-256\", \"content\" : \"" + digest + "\" } ],\n";
            list = list.substring(0, end) + hashes + list.substring(end);
        }
    }

    /** Takes lines "group:name version identifier": components below the version have the vulnerability. */
    private void compare(List<String> vulnerable) {
        Set<String> seen = new TreeSet<>();
        Matcher component = COMPONENT.matcher(list);
        while (component.find()) {
            String name = component.group("group") + ":" + component.group("name");
            String version = component.group("version");
            seen.add(name);
            for (String line : vulnerable) {
                String[] fields = line.split(" +");
                if (fields.length == 3 && fields[0].equals(name) && isBelow(version, fields[1])) {
                    faults.add(name + " " + version + " has " + fields[2] + "; use " + fields[1] + " or newer");
                }
            }
        }
        List<String> unpacked = // into jars of ours
                List.of("info.picocli:picocli", "org.apache.commons:commons-compress", "org.tomlj:tomlj");
        for (String inside : unpacked) {
            if (!seen.contains(inside)) {
                faults.add(inside + " is in the program, and not in the list");
            }
        }
    }

    private static boolean isBelow(String version, String than) {
        if (than.equals("*")) {
            return true;
        }
        List<Integer> one = numbers(version);
        List<Integer> other = numbers(than);
        for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
            int difference = (i < one.size() ? one.get(i) : 0) - (i < other.size() ? other.get(i) : 0);
            if (difference != 0) {
                return difference < 0;
            }
        }
        return false;
    }

    private static List<Integer> numbers(String version) {
        return Pattern.compile("\\d{1,9}").matcher(version).results()
                .map(each -> Integer.valueOf(each.group()))
                .collect(Collectors.toList());
    }

    private static String digest(Path file) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha256.digest(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
