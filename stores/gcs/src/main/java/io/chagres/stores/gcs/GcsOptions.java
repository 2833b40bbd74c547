package io.chagres.stores.gcs;

import com.google.api.services.storage.Storage;
import com.google.api.services.storage.StorageRequest;
import com.google.api.services.storage.model.StorageObject;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.StoreException;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How objects are kept, and who pays, as an address asks for it. Commits and tables stay in the bucket's own storage
 * class, where reads are cheap. Immutable.
 *
 * @param kmsKey that objects are encrypted by; null for the bucket's own
 * @param storageClass of data objects; null for the bucket's own
 * @param acl predefined, of each object; null for the bucket's own
 * @param payer the project that pays for requests; null for the bucket's own
 */
record GcsOptions(
        @Nullable String kmsKey,
        @Nullable String storageClass,
        @Nullable String acl,
        @Nullable String payer) {
    private static final String KMS_KEY = "kms-key";
    private static final String STORAGE_CLASS = "storage-class";
    private static final String ACL = "acl";
    private static final String REQUESTER_PAYS = "requester-pays";

    static final Set<String> PARAMETERS = Set.of(KMS_KEY, STORAGE_CLASS, ACL, REQUESTER_PAYS);

    private static final Pattern KEY =
            Pattern.compile("projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+");
    private static final Pattern CLASS = Pattern.compile("[A-Z][A-Z_]{1,63}");
    private static final Pattern PREDEFINED = Pattern.compile("[a-zA-Z]{1,63}");
    private static final Pattern PROJECT = Pattern.compile("[a-z0-9.:-]{1,128}");

    static GcsOptions of(ObjectAddress address) throws StoreException {
        return new GcsOptions(
                given(address, KMS_KEY, KEY, "projects/P/locations/L/keyRings/R/cryptoKeys/K"),
                given(address, STORAGE_CLASS, CLASS, "a storage class, such as NEARLINE"),
                given(address, ACL, PREDEFINED, "a predefined ACL, such as bucketOwnerFullControl"),
                given(address, REQUESTER_PAYS, PROJECT, "the project that pays"));
    }

    private static @Nullable String given(ObjectAddress address, String name, Pattern form, String what)
            throws StoreException {
        String value = address.parameters().get(name);
        if (value != null && !form.matcher(value).matches()) {
            throw new StoreException(address.name() + ": " + name + " names " + what);
        }
        return value;
    }

    /** Returns what is said of a new object. */
    StorageObject object(String key, String crc32c) {
        StorageObject object = new StorageObject().setCrc32c(crc32c);
        return storageClass != null && ArchiveLayout.isData(key) ? object.setStorageClass(storageClass) : object;
    }

    /** Asks for a new object as the address does. */
    Storage.Objects.Insert keep(Storage.Objects.Insert insert) {
        return insert.setKmsKeyName(kmsKey).setPredefinedAcl(acl);
    }

    /** Says who pays for a request. */
    <R extends StorageRequest<?>> R paid(R request) {
        if (payer != null) {
            request.set("userProject", payer);
        }
        return request;
    }

    /** Says which parameters a policy of the bucket may want that the address does not have. */
    static String unsent(Map<String, String> parameters) {
        StringJoiner names = new StringJoiner(", ");
        for (String each : new String[] {KMS_KEY, STORAGE_CLASS, ACL, REQUESTER_PAYS}) {
            if (!parameters.containsKey(each)) {
                names.add(each + "=");
            }
        }
        return names.toString();
    }
}
