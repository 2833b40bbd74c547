package io.chagres.stores.s3;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.ObjectTags;
import io.chagres.archive.store.StoreException;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;

/**
 * The headers that an address asks for. Every request says whose bucket it must be and who pays: so nobody who makes a
 * bucket of that name, after it was deleted, gets a byte. Each request that makes an object says how it is kept.
 * Commits and tables stay in the bucket's own storage class, where reads are cheap. Immutable.
 *
 * @param ofAll sent with every request
 * @param ofObjects sent with each that makes an object
 * @param storageClass of data objects; null for the bucket's own
 * @param prefix what every key begins with
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html">PutObject</a>
 */
record S3Headers(
        Map<String, String> ofAll,
        Map<String, String> ofObjects,
        @Nullable String storageClass,
        String prefix) implements ExecutionInterceptor {
    private static final String OWNER = "owner";
    private static final String REQUESTER_PAYS = "requester-pays";
    private static final String SSE = "sse";
    private static final String KMS_KEY = "kms-key";
    private static final String BUCKET_KEY = "bucket-key";
    private static final String STORAGE_CLASS = "storage-class";
    private static final String TAGS = "tags";
    private static final String ACL = "acl";

    static final Set<String> PARAMETERS =
            Set.of(OWNER, REQUESTER_PAYS, SSE, KMS_KEY, BUCKET_KEY, STORAGE_CLASS, TAGS, ACL);

    private static final String SSE_HEADER = "x-amz-server-side-encryption";
    private static final String PAYER_HEADER = "x-amz-request-payer";
    private static final String CLASS_HEADER = "x-amz-storage-class";
    private static final String TAGS_HEADER = "x-amz-tagging";
    private static final String ACL_HEADER = "x-amz-acl";

    private static final Pattern ACCOUNT = Pattern.compile("[0-9A-Za-z_.-]{1,64}");
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9:/_.-]{1,2048}");
    private static final Pattern CLASS = Pattern.compile("[A-Z0-9][A-Z0-9_-]{1,63}");
    private static final Pattern CANNED = Pattern.compile("[a-z][a-z-]{1,63}");
    private static final Set<String> ENCRYPTIONS = Set.of("AES256", "aws:kms", "aws:kms:dsse");

    /** Nobody can read these before somebody asked for them and waited for hours; compaction reads what it wrote. */
    private static final Set<String> UNREADABLE = Set.of("GLACIER", "DEEP_ARCHIVE");

    static S3Headers of(ObjectAddress place) throws StoreException {
        Map<String, String> parameters = place.parameters();
        Map<String, String> ofAll = new TreeMap<>();
        put(ofAll, "x-amz-expected-bucket-owner", given(place, OWNER, ACCOUNT, "an account, on AWS of 12 digits"));
        if (Boolean.TRUE.equals(place.flag(REQUESTER_PAYS))) {
            ofAll.put(PAYER_HEADER, "requester");
        }
        Map<String, String> ofObjects = new TreeMap<>();
        encryption(place, ofObjects);
        put(ofObjects, ACL_HEADER, given(place, ACL, CANNED, "a canned ACL, such as bucket-owner-full-control"));
        if (parameters.containsKey(TAGS)) {
            ofObjects.put(TAGS_HEADER, ObjectTags.parse(place).encoded());
        }
        String storageClass = given(place, STORAGE_CLASS, CLASS, "a storage class, such as STANDARD_IA");
        if (storageClass != null && UNREADABLE.contains(storageClass)) {
            throw new StoreException(place.name() + ": storage-class is not " + storageClass + ": 'compact' reads back"
                    + " what it writes, and so do copies; use GLACIER_IR, or a lifecycle rule for what is old");
        }
        return new S3Headers(Map.copyOf(ofAll), Map.copyOf(ofObjects), storageClass, place.prefix());
    }

    private static void encryption(ObjectAddress place, Map<String, String> ofObjects) throws StoreException {
        String key = given(place, KMS_KEY, KEY, "a key of KMS by its id, ARN or alias");
        String sse = place.parameters().getOrDefault(SSE, key == null ? "" : "aws:kms");
        if (!sse.isEmpty() && !ENCRYPTIONS.contains(sse)) {
            throw new StoreException(place.name() + ": sse is AES256, aws:kms or aws:kms:dsse");
        }
        Boolean bucketKey = place.flag(BUCKET_KEY);
        if ((key != null || bucketKey != null) && !sse.startsWith("aws:kms")) {
            throw new StoreException(place.name() + ": kms-key and bucket-key belong to sse=aws:kms");
        }
        put(ofObjects, SSE_HEADER, sse.isEmpty() ? null : sse);
        put(ofObjects, SSE_HEADER + "-aws-kms-key-id", key);
        put(ofObjects, SSE_HEADER + "-bucket-key-enabled", bucketKey == null ? null : bucketKey.toString());
    }

    private static @Nullable String given(ObjectAddress place, String name, Pattern form, String what)
            throws StoreException {
        String value = place.parameters().get(name);
        if (value != null && !form.matcher(value).matches()) {
            throw new StoreException(place.name() + ": " + name + " names " + what);
        }
        return value;
    }

    private static void put(Map<String, String> headers, String name, @Nullable String value) {
        if (value != null) {
            headers.put(name, value);
        }
    }

    @Override
    public SdkHttpRequest modifyHttpRequest(Context.ModifyHttpRequest context, ExecutionAttributes attributes) {
        SdkHttpRequest.Builder request = context.httpRequest().toBuilder();
        ofAll.forEach(request::putHeader);
        String key = madeBy(context.request());
        if (key != null) {
            ofObjects.forEach(request::putHeader);
            if (storageClass != null
                    && key.startsWith(prefix)
                    && ArchiveLayout.isData(key.substring(prefix.length()))) {
                request.putHeader(CLASS_HEADER, storageClass);
            }
        }
        return request.build();
    }

    /** Returns the key of the object that a request makes, or begins to make; null when it makes none. */
    private static @Nullable String madeBy(SdkRequest request) {
        return switch (request) {
            case PutObjectRequest put -> put.key();
            case CreateMultipartUploadRequest begin -> begin.key();
            case CopyObjectRequest copy -> copy.destinationKey();
            default -> null;
        };
    }

    /** Says which headers a policy of the bucket may want that are not sent, and the parameter of each. */
    String unsent(boolean ofPut) {
        StringJoiner names = new StringJoiner(", ");
        if (ofPut) {
            unsent(names, ofObjects, SSE_HEADER, "sse=aws:kms and kms-key=...");
            unsent(names, ofObjects, TAGS_HEADER, "tags=NAME=VALUE,...");
            unsent(names, ofObjects, ACL_HEADER, "acl=bucket-owner-full-control");
            if (storageClass == null) {
                names.add(CLASS_HEADER + " (storage-class=..., of data objects)");
            }
        }
        unsent(names, ofAll, PAYER_HEADER, "requester-pays=true");
        return names.toString();
    }

    private static void unsent(StringJoiner names, Map<String, String> sent, String header, String parameter) {
        if (!sent.containsKey(header)) {
            names.add(header + " (" + parameter + ")");
        }
    }

    /** Says whether objects are encrypted by a key of KMS. */
    boolean usesKms() {
        return ofObjects.getOrDefault(SSE_HEADER, "").startsWith("aws:kms");
    }
}
