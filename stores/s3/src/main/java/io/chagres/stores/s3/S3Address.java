package io.chagres.stores.s3;

import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.StoreException;
import java.net.URI;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says where an archive in S3 lies. Immutable.
 *
 * @param bucket its bucket
 * @param prefix what every key begins with: empty, or ends with a slash
 * @param endpoint the server, or null for the one of AWS
 * @param region the region, or null for the one the environment names
 * @param pathStyle whether the bucket is part of the path instead of the host name
 * @param name the address as it appears in messages
 */
record S3Address(
        String bucket,
        String prefix,
        @Nullable URI endpoint,
        @Nullable String region,
        boolean pathStyle,
        String name) {
    static final String SCHEME = "s3";

    private static final String REGION = "region";
    private static final String PATH_STYLE = "path-style";

    static S3Address parse(String text) throws StoreException {
        ObjectAddress address = ObjectAddress.parse(
                SCHEME, text, Set.of(ObjectAddress.ENDPOINT, REGION, PATH_STYLE), "the environment or the AWS profile");
        URI endpoint = address.endpoint();
        String pathStyle = address.parameters().get(PATH_STYLE);
        return new S3Address(
                address.bucket(),
                address.prefix(),
                endpoint,
                address.parameters().get(REGION),
                pathStyle == null ? endpoint != null : Boolean.parseBoolean(pathStyle),
                address.name());
    }
}
