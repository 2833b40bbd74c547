package io.chagres.archive.store;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says where an archive in an object store lies: {@code scheme://bucket/prefix?name=value&...}. Immutable.
 *
 * @param scheme without {@code ://}
 * @param bucket its bucket, or the ARN of an access point
 * @param prefix what every key begins with: empty, or ends with a slash
 * @param parameters what stands behind the question mark, decoded
 */
public record ObjectAddress(String scheme, String bucket, String prefix, Map<String, String> parameters) {
    /** The name of the parameter that {@link #endpoint} reads. */
    public static final String ENDPOINT = "endpoint";

    /** The name of the parameter for the account in which the bucket lies, where accounts have buckets. */
    public static final String ACCOUNT = "account";

    /** The scheme of the store that has access points. */
    private static final String ACCESS_POINTS = "s3";

    private static final List<String> WHERE = List.of(ACCOUNT, ENDPOINT);

    private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,254}");
    /** An access point, which stands for a bucket: its name is behind a slash or a colon. */
    private static final Pattern ACCESS_POINT =
            Pattern.compile("arn:[a-z-]{1,32}:s3(-outposts|-object-lambda)?:[a-z0-9-]{0,32}:[0-9]{1,20}:"
                    + "(outpost[/:][A-Za-z0-9-]{1,63}[/:])?accesspoint[/:][A-Za-z0-9.-]{1,63}(?=/|$)");

    /** Visible characters, and blanks within; not those that a shell or a URL takes for something else. */
    private static final Pattern COMPONENT = Pattern.compile("[^\\p{C}\\p{Z}/?#\\\\]([^\\p{C}\\p{Zl}\\p{Zp}/?#\\\\]*)");

    /**
     * Takes an address apart; its text appears in no message, since it may hold what does not belong there.
     *
     * @param address begins with the scheme and {@code ://}
     * @param known the names of parameters that it may have
     * @param credentials where credentials come from, for the message that refuses them here
     * @throws StoreException when it is not of this form
     */
    public static ObjectAddress parse(String scheme, String address, Set<String> known, String credentials)
            throws StoreException {
        ObjectAddress parsed = parsed(scheme, address);
        Map<String, String> parameters = parsed.parameters;
        if (!known.containsAll(parameters.keySet())) {
            String names = String.join("=, ", known.stream().sorted().toList()) + "=";
            throw new StoreException(
                    "a " + scheme + ":// address takes " + names + "; credentials come from " + credentials);
        }
        return parsed;
    }

    /** Checks bucket and prefix alone: which parameters there are only the provider knows. */
    static void checkPlace(String scheme, String address) throws StoreException {
        parsed(scheme, address);
    }

    /** Returns an address of an object store with one more parameter, unless it has it or there is no value. */
    public static String with(String address, String name, @Nullable String value) {
        boolean has = address.contains("?" + name + "=") || address.contains("&" + name + "=");
        if (value == null || value.isEmpty() || has || !address.matches("(?s)(s3|gs|azblob)://.*")) {
            return address;
        }
        return address + (address.contains("?") ? "&" : "?") + name + "="
                + URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static ObjectAddress parsed(String scheme, String address) throws StoreException {
        int question = address.indexOf('?');
        String path = address.substring(scheme.length() + "://".length(), question < 0 ? address.length() : question);
        Matcher accessPoint = ACCESS_POINT.matcher(path);
        boolean isArn = scheme.equals(ACCESS_POINTS) && accessPoint.lookingAt();
        int slash = path.indexOf('/', isArn ? accessPoint.end() : 0);
        String bucket = slash < 0 ? path : path.substring(0, slash);
        if (!isArn && !BUCKET.matcher(bucket).matches()) {
            throw new StoreException(scheme + ":// needs the name of a bucket (2 to 255 letters, digits, '.', '_' or"
                    + " '-'): " + scheme + "://BUCKET/PREFIX");
        }
        String prefix = prefix(scheme, slash < 0 ? "" : path.substring(slash + 1));
        return new ObjectAddress(
                scheme, bucket, prefix, parameters(scheme, question < 0 ? "" : address.substring(question + 1)));
    }

    private static String prefix(String scheme, String path) throws StoreException {
        StringBuilder prefix = new StringBuilder();
        for (String component : path.split("/")) {
            if (component.isEmpty()) {
                continue;
            }
            if (component.equals(".")
                    || component.equals("..")
                    || !COMPONENT.matcher(component).matches()) {
                throw new StoreException("the prefix of a " + scheme + ":// address holds letters, digits and"
                        + " punctuation, and no component of dots alone");
            }
            prefix.append(component).append('/');
        }
        return prefix.toString();
    }

    private static Map<String, String> parameters(String scheme, String query) throws StoreException {
        Map<String, String> parameters = new HashMap<>();
        for (String pair : query.split("&")) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                parameters.put(equals < 0 ? pair : pair.substring(0, equals), decoded(scheme, value));
            }
        }
        return Map.copyOf(parameters);
    }

    /** A plus stays a plus: people who write an address by hand write the path of a file as it is. */
    private static String decoded(String scheme, String value) throws StoreException {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new StoreException("a parameter of the " + scheme + ":// address has a % without two hexadecimal"
                    + " digits; write %25 for the sign itself");
        }
    }

    /**
     * Returns the server, or null for the vendor's own.
     *
     * @throws StoreException when it is no server, or holds credentials
     */
    public @Nullable URI endpoint() throws StoreException {
        String value = parameters.get(ENDPOINT);
        if (value == null) {
            return null;
        }
        try {
            URI endpoint = new URI(value);
            if (("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
                    && endpoint.getHost() != null
                    && endpoint.getUserInfo() == null
                    && endpoint.getQuery() == null) {
                return endpoint;
            }
        } catch (URISyntaxException e) {
            // said below, without the text
        }
        throw new StoreException("endpoint= of a " + scheme
                + ":// address is http://HOST:PORT or https://HOST:PORT, without credentials");
    }

    /**
     * Returns what a parameter says that is true or false; null where it is not given.
     *
     * @throws StoreException when it is neither
     */
    public @Nullable Boolean flag(String name) throws StoreException {
        String value = parameters.get(name);
        if (value != null && !value.equals("true") && !value.equals("false")) {
            throw new StoreException(name() + ": " + name + " is true or false");
        }
        return value == null ? null : Boolean.valueOf(value);
    }

    /** Returns the address as it appears in messages; no two places have the same. */
    public String name() {
        String where = WHERE.stream()
                .filter(parameters::containsKey)
                .map(each -> each + "=" + parameters.get(each))
                .collect(Collectors.joining("&"));
        return scheme + "://" + bucket + (prefix.isEmpty() ? "" : "/" + prefix.substring(0, prefix.length() - 1))
                + (where.isEmpty() ? "" : "?" + where);
    }
}
