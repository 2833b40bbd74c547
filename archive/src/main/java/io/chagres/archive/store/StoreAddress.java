package io.chagres.archive.store;

import static java.util.Map.entry;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Says where an archive lies, as somebody wrote it: a path, {@code file:///path}, or {@code scheme://...}. A text that
 * looks like an address and is none is refused, because a directory of that name would be made and acknowledged into.
 * Immutable.
 *
 * @param text as it was written
 * @param scheme that of an object store; null for a directory
 * @param path that of the directory; empty for an object store
 */
public record StoreAddress(String text, @Nullable String scheme, String path) {
    private static final String FILE = "file";
    private static final String SEPARATOR = "://";
    /** Stands for what may be a secret. */
    private static final String HIDDEN = "***";

    /** The schemes that this project's providers have, whether they are installed or not. */
    private static final List<String> OBJECT_STORES = List.of("s3", "gs", "azblob");

    /** The names that others give them, and ours. */
    private static final Map<String, String> MEANT = Map.ofEntries(
            entry(FILE, FILE),
            entry("s3", "s3"),
            entry("s3a", "s3"),
            entry("s3n", "s3"),
            entry("aws", "s3"),
            entry("minio", "s3"),
            entry("gs", "gs"),
            entry("gcs", "gs"),
            entry("gcp", "gs"),
            entry("azblob", "azblob"),
            entry("az", "azblob"),
            entry("azure", "azblob"),
            entry("blob", "azblob"),
            entry("wasb", "azblob"),
            entry("wasbs", "azblob"),
            entry("abfs", "azblob"),
            entry("abfss", "azblob"),
            entry("kafka", "kafka"));

    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://.*", Pattern.DOTALL);
    /** A path that says of itself that it is one. */
    private static final Pattern PLAIN_PATH = Pattern.compile("(/|\\.{1,2}(/|$)).*", Pattern.DOTALL);
    /** A scheme whose colon is missing or is another sign. */
    private static final Pattern WITHOUT_COLON =
            Pattern.compile("([A-Za-z][A-Za-z0-9]*)[^A-Za-z0-9/]{0,2}//.*", Pattern.DOTALL);

    private static final Pattern WORD = Pattern.compile("[/\"']*([A-Za-z][A-Za-z0-9]*)(.*)", Pattern.DOTALL);

    private static final Pattern S3_URL =
            Pattern.compile("https?://([a-z0-9.-]+?)\\.s3[.-](?:([a-z]+-[a-z-]+-[0-9])\\.)?amazonaws\\.com/?(.*)");
    private static final Pattern S3_PATH_URL =
            Pattern.compile("https?://s3[.-](?:([a-z]+-[a-z-]+-[0-9])\\.)?amazonaws\\.com/([^/]+)/?(.*)");
    private static final Pattern GCS_URL = Pattern.compile("https?://storage\\.googleapis\\.com/([^/]+)/?(.*)");
    private static final Pattern AZURE_URL =
            Pattern.compile("https?://([a-z0-9]+)\\.blob\\.core\\.windows\\.net/([^/]+)/?(.*)");

    /**
     * Takes apart what somebody wrote; opens nothing.
     *
     * @throws StoreException when it is no address and no plain path; the message has the nearest right spelling
     */
    public static StoreAddress parse(String text) throws StoreException {
        if (text.isBlank() || text.equals("file:") || text.equals("file://")) {
            throw new StoreException("the archive '" + text + "' has no path; '.' is the working directory");
        }
        if (text.startsWith("file:///")) {
            return new StoreAddress(text, null, text.substring("file://".length()));
        }
        Matcher scheme = SCHEME.matcher(text);
        boolean blank = !text.strip().equals(text);
        if (!blank && scheme.matches() && !isMistaken(scheme.group(1))) {
            return new StoreAddress(text, scheme.group(1), "");
        }
        if (blank || !isPath(text)) {
            throw new StoreException(refusal(text));
        }
        return new StoreAddress(text, null, text);
    }

    /** Says whether nobody has this scheme, but something near it; one that nobody knows is left to the providers. */
    private static boolean isMistaken(String scheme) {
        return !OBJECT_STORES.contains(scheme)
                && !scheme.equals("kafka")
                && (meant(scheme) != null || scheme.matches("https?"));
    }

    private static boolean isPath(String text) {
        if (PLAIN_PATH.matcher(text).matches()) {
            return text.startsWith(".") || !text.contains(SEPARATOR);
        }
        int slash = text.indexOf('/');
        String first = slash < 0 ? text : text.substring(0, slash);
        Matcher without = WITHOUT_COLON.matcher(text);
        boolean lacksColon =
                without.matches() && MEANT.containsKey(without.group(1).toLowerCase(Locale.ROOT));
        return !lacksColon
                && first.chars().noneMatch(c -> c == ':' || c == '\\')
                && "~$\"'".indexOf(text.charAt(0)) < 0;
    }

    private static @Nullable String meant(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        String known = MEANT.get(lower);
        return known != null ? known : Spelling.nearest(lower, OBJECT_STORES).orElse(null);
    }

    private static String refusal(String text) {
        String shown = shown(text);
        if (text.startsWith("~") || text.startsWith("$")) {
            return "'" + shown + "' is not expanded here; write the path as it is, such as /mnt/archive";
        }
        String nearest = nearest(shown.strip());
        String meant = nearest == null
                ? "write a path, file:///path, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or azblob://CONTAINER/PREFIX"
                : "did you mean " + nearest + "?";
        String directory = text.startsWith("/") ? "file://" + shown : "./" + shown;
        return "'" + shown + "' looks like an address and is none; " + meant
                + (shown.contains(HIDDEN) ? "" : " (a directory of that name is " + directory + ")");
    }

    /** Returns what may be shown: an address that is written wrongly may have a secret in it. */
    private static String shown(String text) {
        String cut = text.substring(0, text.indexOf('?') < 0 ? text.length() : text.indexOf('?'));
        int at = cut.lastIndexOf('@');
        int begin = cut.indexOf(':') + 1;
        return at < 0 ? cut : cut.substring(0, Math.min(begin, at)) + HIDDEN + cut.substring(at + 1);
    }

    private static @Nullable String nearest(String text) {
        String url = ofUrl(text);
        if (url != null) {
            return url;
        }
        Matcher word = WORD.matcher(text);
        String scheme = word.matches() ? meant(word.group(1)) : null;
        if (scheme == null || word.group(2).isEmpty()) {
            return SCHEME.matcher(text).matches() || !isPath(text) ? null : text; // only blanks were wrong
        }
        String rest = word.group(2)
                .replace('\\', '/')
                .replaceFirst("^[^A-Za-z0-9._~*-]+", "")
                .replaceFirst("[\"']$", "");
        return scheme + SEPARATOR + (scheme.equals(FILE) ? "/" : "") + rest;
    }

    private static @Nullable String ofUrl(String text) {
        Matcher s3 = S3_URL.matcher(text);
        if (s3.matches()) {
            return url("s3", s3.group(1), s3.group(3), s3.group(2) == null ? "" : "?region=" + s3.group(2));
        }
        Matcher path = S3_PATH_URL.matcher(text);
        if (path.matches()) {
            return url("s3", path.group(2), path.group(3), path.group(1) == null ? "" : "?region=" + path.group(1));
        }
        Matcher gcs = GCS_URL.matcher(text);
        if (gcs.matches()) {
            return url("gs", gcs.group(1), gcs.group(2), "");
        }
        Matcher azure = AZURE_URL.matcher(text);
        if (azure.matches()) {
            return url("azblob", azure.group(2), azure.group(3), "?account=" + azure.group(1));
        }
        Matcher server = Pattern.compile("(https?://[^/]+)/?(.*)").matcher(text);
        return server.matches()
                ? url("s3", "BUCKET", server.group(2), "?endpoint=" + server.group(1)) + " of a server that speaks S3"
                : null;
    }

    private static String url(String scheme, String bucket, String prefix, String parameters) {
        return scheme + SEPARATOR + bucket + (prefix.isEmpty() ? "" : "/" + prefix) + parameters;
    }

    /** Says whether it is a directory of this machine. */
    public boolean isDirectory() {
        return scheme == null;
    }

    /** Says whether this project has a provider of its scheme, installed or not. */
    boolean isKnown() {
        return scheme != null && OBJECT_STORES.contains(scheme);
    }
}
