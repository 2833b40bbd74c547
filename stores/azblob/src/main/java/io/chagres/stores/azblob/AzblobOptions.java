package io.chagres.stores.azblob;

import com.azure.storage.blob.models.AccessTier;
import com.azure.storage.blob.options.BlockBlobSimpleUploadOptions;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.ObjectTags;
import io.chagres.archive.store.StoreException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How objects are kept as an address asks for it. Commits and tables stay in the account's own tier, where reads are
 * cheap. Immutable.
 *
 * @param encryptionScope whose key objects are encrypted by; null for the container's own
 * @param tier of data objects; null for the account's own
 * @param tags of each object; null for none
 */
record AzblobOptions(
        @Nullable String encryptionScope,
        @Nullable AccessTier tier,
        @Nullable Map<String, String> tags) {
    private static final String SCOPE = "encryption-scope";
    private static final String STORAGE_CLASS = "storage-class";

    static final Set<String> PARAMETERS = Set.of(SCOPE, STORAGE_CLASS, ObjectTags.PARAMETER);

    static AzblobOptions of(ObjectAddress address) throws StoreException {
        Map<String, String> parameters = address.parameters();
        String scope = parameters.get(SCOPE);
        if (scope != null && !scope.matches("[A-Za-z0-9][A-Za-z0-9-]{2,62}")) {
            throw new StoreException(address.name() + ": encryption-scope names no encryption scope");
        }
        String tier = parameters.get(STORAGE_CLASS);
        if (tier != null && !tier.matches("Hot|Cool|Cold")) {
            throw new StoreException(address.name() + ": storage-class is Hot, Cool or Cold; of what is in the tier"
                    + " Archive nothing can be read, and 'compact' reads back what it writes");
        }
        return new AzblobOptions(
                scope,
                tier == null ? null : AccessTier.fromString(tier),
                parameters.containsKey(ObjectTags.PARAMETER)
                        ? ObjectTags.parse(address).all()
                        : null);
    }

    /** Asks for a new object as the address does. */
    BlockBlobSimpleUploadOptions keep(String key, BlockBlobSimpleUploadOptions put) {
        return put.setTags(tags).setTier(ArchiveLayout.isData(key) ? tier : null);
    }

    /** Says which parameters a policy of the account may want that the address does not have. */
    String unsent() {
        return (encryptionScope == null ? "x-ms-encryption-scope (encryption-scope=...), " : "")
                + (tags == null ? "x-ms-tags (tags=NAME=VALUE,...), " : "")
                + (tier == null ? "x-ms-access-tier (storage-class=..., of data objects), " : "");
    }
}
