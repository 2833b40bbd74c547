package io.chagres.stores.s3;

import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.StoreException;
import java.net.URI;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Says where an archive in S3 lies. Immutable.
 *
 * @param bucket its bucket
 * @param prefix what every key begins with: empty, or ends with a slash
 * @param endpoint the server, or null for the one of AWS
 * @param region the region, or null for the one the environment names
 * @param owner the account that must own the bucket, or null for any
 * @param pathStyle whether the bucket is part of the path instead of the host name
 * @param consistentLists whether a list shows all that was put before, or null when the address does not say
 * @param name the address as it appears in messages
 */
record S3Address(
        String bucket,
        String prefix,
        @Nullable URI endpoint,
        @Nullable String region,
        @Nullable String owner,
        boolean pathStyle,
        @Nullable Boolean consistentLists,
        String name) {
    static final String SCHEME = "s3";

    private static final String REGION = "region";
    private static final String OWNER = "owner";
    private static final Pattern ACCOUNT = Pattern.compile("[0-9A-Za-z_.-]{1,64}");
    private static final String PATH_STYLE = "path-style";
    private static final String CONSISTENT_LISTS = "consistent-lists";

    static S3Address parse(String text) throws StoreException {
        ObjectAddress address = ObjectAddress.parse(
                SCHEME,
                text,
                Set.of(ObjectAddress.ENDPOINT, REGION, OWNER, PATH_STYLE, CONSISTENT_LISTS),
                "the environment or the AWS profile");
        String owner = address.parameters().get(OWNER);
        if (owner != null && !ACCOUNT.matcher(owner).matches()) {
            throw new StoreException(address.name() + ": owner names no account; on AWS it is a number of 12 digits");
        }
        URI endpoint = address.endpoint();
        String lists = address.parameters().get(CONSISTENT_LISTS);
        if (lists != null && !lists.equals("true") && !lists.equals("false")) {
            throw new StoreException(address.name() + ": consistent-lists is true or false");
        }
        String pathStyle = address.parameters().get(PATH_STYLE);
        return new S3Address(
                address.bucket(),
                address.prefix(),
                endpoint,
                address.parameters().get(REGION),
                owner,
                pathStyle == null ? endpoint != null : Boolean.parseBoolean(pathStyle),
                lists == null ? null : Boolean.valueOf(lists),
                address.name());
    }
}
