package io.chagres.stores.s3;

import io.chagres.archive.store.StoreException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Says where an archive in S3 lies. Immutable.
 *
 * @param bucket its bucket
 * @param prefix what every key begins with: empty, or ends with a slash
 * @param endpoint the server, or null for the one of AWS
 * @param region the region, or null for the one the environment names
 * @param pathStyle whether the bucket is part of the path instead of the host name
 */
record S3Address(
        String bucket,
        String prefix,
        @Nullable URI endpoint,
        @Nullable String region,
        boolean pathStyle) {
    static final String SCHEME = "s3";

    private static final String START = SCHEME + "://";
    private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,254}");
    private static final Pattern COMPONENT = Pattern.compile("[!-~&&[^/?#\\\\]]+");

    /** Takes an address apart; its text appears in no message, since it may hold what does not belong there. */
    static S3Address parse(String address) throws StoreException {
        int question = address.indexOf('?');
        String path = address.substring(START.length(), question < 0 ? address.length() : question);
        int slash = path.indexOf('/');
        String bucket = slash < 0 ? path : path.substring(0, slash);
        if (!BUCKET.matcher(bucket).matches()) {
            throw new StoreException("s3:// needs the name of a bucket: s3://BUCKET/PREFIX");
        }
        Parameters parameters = Parameters.parse(question < 0 ? "" : address.substring(question + 1));
        URI endpoint = parameters.endpoint;
        boolean pathStyle = parameters.pathStyle == null ? endpoint != null : parameters.pathStyle;
        return new S3Address(
                bucket, prefix(slash < 0 ? "" : path.substring(slash + 1)), endpoint, parameters.region, pathStyle);
    }

    private static String prefix(String path) throws StoreException {
        StringBuilder prefix = new StringBuilder();
        for (String component : path.split("/")) {
            if (component.isEmpty()) {
                continue;
            }
            if (component.equals(".")
                    || component.equals("..")
                    || !COMPONENT.matcher(component).matches()) {
                throw new StoreException("the prefix of an s3:// address holds letters, digits and punctuation, and no"
                        + " component of dots alone");
            }
            prefix.append(component).append('/');
        }
        return prefix.toString();
    }

    /** Returns the address as it appears in messages. */
    String name() {
        return START
                + bucket
                + (prefix.isEmpty() ? "" : "/" + prefix.substring(0, prefix.length() - 1))
                + (endpoint == null ? "" : "?endpoint=" + endpoint);
    }

    /** Is what stands behind the question mark. */
    private static final class Parameters {
        @Nullable
        URI endpoint;

        @Nullable
        String region;

        @Nullable
        Boolean pathStyle;

        static Parameters parse(String query) throws StoreException {
            Parameters parameters = new Parameters();
            for (String pair : query.split("&")) {
                if (!pair.isEmpty()) {
                    int equals = pair.indexOf('=');
                    String value = equals < 0 ? "" : pair.substring(equals + 1);
                    parameters.set(
                            equals < 0 ? pair : pair.substring(0, equals),
                            URLDecoder.decode(value, StandardCharsets.UTF_8));
                }
            }
            return parameters;
        }

        private void set(String name, String value) throws StoreException {
            switch (name) {
                case "endpoint" -> endpoint = endpoint(value);
                case "region" -> region = value;
                case "path-style" -> pathStyle = Boolean.valueOf(value);
                default ->
                    throw new StoreException(
                            "an s3:// address takes endpoint=, region= and path-style=; credentials come from the"
                                    + " environment or the AWS profile");
            }
        }

        private static URI endpoint(String value) throws StoreException {
            try {
                URI endpoint = new URI(value);
                String scheme = endpoint.getScheme();
                if (("http".equals(scheme) || "https".equals(scheme))
                        && endpoint.getHost() != null
                        && endpoint.getUserInfo() == null
                        && endpoint.getQuery() == null) {
                    return endpoint;
                }
            } catch (URISyntaxException e) {
                // said below, without the text
            }
            throw new StoreException(
                    "endpoint= of an s3:// address is http://HOST:PORT or https://HOST:PORT, without" + " credentials");
        }
    }
}
