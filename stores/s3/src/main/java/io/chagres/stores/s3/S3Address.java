package io.chagres.stores.s3;

import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import java.net.URI;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says where an archive in S3 lies. Immutable.
 *
 * @param place bucket, prefix and all parameters
 * @param endpoint the server, or null for the one of AWS
 * @param region the region, or null for the one the environment names
 * @param pathStyle whether the bucket is part of the path instead of the host name
 * @param consistentLists whether a list shows all that was put before, or null when the address does not say
 * @param headers what requests say besides
 */
record S3Address(
        ObjectAddress place,
        @Nullable URI endpoint,
        @Nullable String region,
        boolean pathStyle,
        @Nullable Boolean consistentLists,
        S3Headers headers) {
    static final String SCHEME = "s3";

    private static final String REGION = "region";
    private static final String PATH_STYLE = "path-style";
    private static final String CONSISTENT_LISTS = "consistent-lists";
    private static final int REGION_OF_ARN = 3;

    static S3Address parse(String text) throws StoreException {
        Set<String> known = new HashSet<>(Set.of(ObjectAddress.ENDPOINT, REGION, PATH_STYLE, CONSISTENT_LISTS));
        known.addAll(S3Headers.PARAMETERS);
        known.addAll(TlsFiles.PARAMETERS);
        ObjectAddress place = ObjectAddress.parse(SCHEME, text, known, "the environment or the AWS profile");
        URI endpoint = place.endpoint();
        Map<String, String> parameters = place.parameters();
        boolean isArn = place.bucket().startsWith("arn:");
        String region = parameters.get(REGION);
        if (region != null && !isRegion(region)) {
            throw new StoreException(place.name() + ": region names no region, such as eu-west-1");
        }
        if (region == null && isArn) {
            String named = place.bucket().split(":")[REGION_OF_ARN];
            region = named.isEmpty() ? null : named;
        }
        Boolean pathStyle = place.flag(PATH_STYLE);
        return new S3Address(
                place,
                endpoint,
                region,
                pathStyle == null ? endpoint != null && !isArn : pathStyle,
                place.flag(CONSISTENT_LISTS),
                S3Headers.of(place));
    }

    /** Says whether a text can be the name of a region: it becomes a part of a host's name. */
    static boolean isRegion(String text) {
        return text.matches("[A-Za-z0-9][A-Za-z0-9_-]{0,62}");
    }

    String bucket() {
        return place.bucket();
    }

    /** Returns what every key begins with: empty, or ends with a slash. */
    String prefix() {
        return place.prefix();
    }

    /** Returns the address as it appears in messages. */
    String name() {
        return place.name();
    }
}
