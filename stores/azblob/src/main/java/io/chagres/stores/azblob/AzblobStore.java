package io.chagres.stores.azblob;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.rest.PagedIterable;
import com.azure.core.http.rest.PagedResponse;
import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.AccessTier;
import com.azure.storage.blob.models.BlobDownloadContentResponse;
import com.azure.storage.blob.models.BlobItem;
import com.azure.storage.blob.models.BlobProperties;
import com.azure.storage.blob.models.BlobRange;
import com.azure.storage.blob.models.BlobRequestConditions;
import com.azure.storage.blob.models.ListBlobsOptions;
import com.azure.storage.blob.models.RehydratePriority;
import com.azure.storage.blob.options.BlobSetAccessTierOptions;
import com.azure.storage.blob.options.BlockBlobSimpleUploadOptions;
import io.chagres.archive.store.AnswerClock;
import io.chagres.archive.store.ArchiveTier;
import io.chagres.archive.store.ArchivedBlob;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.CollectedWriter;
import io.chagres.archive.store.ConditionProbe;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.SegmentContent;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.StoreTraits;
import io.chagres.archive.store.ThawClass;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store in Azure Blob Storage. An object is a block blob put by one request under the condition that no blob has
 * its name, with the MD5 of its bytes, which the server compares. Safe for any thread.
 */
final class AzblobStore implements BlobStore, ArchiveTier {
    /** The client hands an answer over in one piece, on the heap. */
    private static final int MAX_GET_BYTES = 8 << 20;

    private static final int WHOLE = 200;
    private static final int MAX_PAGE_OBJECTS = 5000;

    private final ObjectAddress address;
    private final AnswerClock clock = new AnswerClock();
    private final AzblobOptions options;
    private final BlobContainerClient container;

    private AzblobStore(ObjectAddress address, Map<String, String> environment) throws StoreException {
        this.address = address;
        options = AzblobOptions.of(address);
        container = AzblobClients.create(address, environment, clock);
    }

    /** Opens a store; with {@code create} proves that it can be written and keeps the condition. */
    static AzblobStore open(ObjectAddress address, Map<String, String> environment, boolean create) throws IOException {
        AzblobStore store = new AzblobStore(address, environment);
        if (create) {
            ConditionProbe.prove(store, "If-None-Match", "Use Azure's own, or a server that keeps it");
        }
        return store;
    }

    @Override
    public String name() {
        return address.name();
    }

    private BlobClient blob(String key) {
        return container.getBlobClient(address.prefix() + key);
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        try (Arena shared = Arena.ofShared()) { // the client sends from threads of its own
            MemorySegment copy = shared.allocate(Math.max(1, content.byteSize()))
                    .asSlice(0, content.byteSize())
                    .copyFrom(content);
            return put(key, new SegmentContent(List.of(copy)));
        }
    }

    private boolean put(String key, SegmentContent content) throws IOException {
        BlockBlobSimpleUploadOptions put = new BlockBlobSimpleUploadOptions(
                        BinaryData.fromListByteBuffer(content.buffers()))
                .setContentMd5(content.md5())
                .setRequestConditions(new BlobRequestConditions().setIfNoneMatch("*"));
        try {
            blob(key)
                    .getBlockBlobClient()
                    .uploadWithResponse(options.keep(key, put), null, AzblobClients.patience(content.length()));
            return true;
        } catch (RuntimeException e) {
            if (AzblobFailure.saysThatItExists(e)) {
                return false;
            }
            throw AzblobFailure.of(address, key, e);
        }
    }

    @Override
    public BlobWriter create(String key) {
        return new CollectedWriter(this, this::put, key);
    }

    /** Microsoft promises that no list lags; nobody knows that of other servers. */
    @Override
    public StoreTraits traits() {
        return StoreTraits.ofCloud(address.parameters().containsKey(ObjectAddress.ENDPOINT));
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        long wanted = Math.min(target.byteSize(), Integer.MAX_VALUE);
        int done = 0;
        try {
            while (done < wanted) {
                long part = Math.min(wanted - done, MAX_GET_BYTES);
                byte[] bytes = part(key, offset + done, part);
                int got = (int) Math.min(bytes.length, part);
                MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, done, got);
                done += got;
                if (got < part) {
                    break;
                }
            }
        } catch (RuntimeException e) {
            if (AzblobFailure.status(e) != AzblobFailure.RANGE_NOT_SATISFIABLE) {
                throw AzblobFailure.ofReading(address, key, e);
            }
        }
        return done;
    }

    private byte[] part(String key, long offset, long length) throws StoreException {
        BlobDownloadContentResponse answer = blob(key)
                .downloadContentWithResponse(null, null, new BlobRange(offset, length), false, null, Context.NONE);
        String range = answer.getHeaders().getValue(HttpHeaderName.CONTENT_RANGE);
        if (!SegmentContent.beginsAt(answer.getStatusCode() == WHOLE, range, offset)) {
            throw SegmentContent.elsewhere(name(), key);
        }
        return answer.getValue().toBytes();
    }

    @Override
    public long size(String key) throws IOException {
        try {
            return blob(key).getProperties().getBlobSize();
        } catch (RuntimeException e) {
            if (AzblobFailure.saysThatItIsMissing(e)) {
                return -1;
            }
            throw AzblobFailure.of(address, key, e);
        }
    }

    @Override
    public @Nullable ArchivedBlob find(String key) throws IOException {
        if (!ArchivedBlob.isArchived(this, key)) {
            return null;
        }
        try {
            BlobProperties properties = blob(key).getProperties();
            boolean isAsked = properties.getArchiveStatus() != null;
            return new ArchivedBlob(key, properties.getBlobSize(), "Archive", isAsked);
        } catch (RuntimeException e) {
            throw AzblobFailure.of(address, key, e);
        }
    }

    /** It leaves the archive tier for that of data objects: Azure makes no copy for some days. */
    @Override
    public void thaw(ArchivedBlob blob, ThawClass thawClass, int days) throws IOException {
        if (thawClass == ThawClass.BULK) {
            throw new StoreException(name() + ": Azure brings back by the classes expedited (High) and standard alone");
        }
        AccessTier tier = options.tier() == null ? AccessTier.HOT : options.tier();
        BlobSetAccessTierOptions to = new BlobSetAccessTierOptions(tier)
                .setPriority(thawClass == ThawClass.EXPEDITED ? RehydratePriority.HIGH : RehydratePriority.STANDARD);
        try {
            blob(blob.key()).setAccessTierWithResponse(to, null, Context.NONE);
        } catch (RuntimeException e) {
            throw AzblobFailure.of(address, blob.key(), e);
        }
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        ListBlobsOptions options = new ListBlobsOptions()
                .setPrefix(address.prefix() + prefix)
                .setMaxResultsPerPage(Math.min(maxObjects, MAX_PAGE_OBJECTS));
        if (afterKey != null) {
            options.setStartFrom(address.prefix() + afterKey); // which begins with this key itself
        }
        List<BlobInfo> found = new ArrayList<>();
        try {
            for (PagedResponse<BlobItem> page :
                    container.listBlobs(options, null).iterableByPage()) {
                for (BlobItem item : page.getValue()) {
                    String key = item.getName().substring(address.prefix().length());
                    if (afterKey == null || key.compareTo(afterKey) > 0) { // an older server begins anywhere
                        found.add(info(key, item));
                    }
                }
                if (!found.isEmpty()) {
                    return new BlobPage(found, page.getContinuationToken() == null);
                }
            }
            return new BlobPage(found, true);
        } catch (RuntimeException e) {
            throw AzblobFailure.of(address, prefix, e);
        }
    }

    private static BlobInfo info(String key, BlobItem item) {
        return new BlobInfo(
                key,
                item.getProperties().getContentLength(),
                item.getProperties().getLastModified().toInstant().toEpochMilli());
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        String whole = address.prefix() + prefix;
        List<String> names = new ArrayList<>();
        try {
            PagedIterable<BlobItem> below =
                    container.listBlobsByHierarchy("/", new ListBlobsOptions().setPrefix(whole), null);
            for (BlobItem item : below) {
                boolean folder = Boolean.TRUE.equals(item.isPrefix());
                int end = item.getName().length() - (folder ? 1 : 0);
                if (end > whole.length()) { // some tools make a blob for a folder itself
                    names.add(item.getName().substring(whole.length(), end));
                }
            }
        } catch (RuntimeException e) {
            throw AzblobFailure.of(address, prefix, e);
        }
        names.sort(null);
        return names;
    }

    @Override
    public long nowMs() throws IOException {
        return clock.nowMs(this);
    }

    @Override
    public void delete(String key) throws IOException {
        try {
            blob(key).deleteIfExists();
        } catch (RuntimeException e) {
            throw AzblobFailure.of(address, key, e);
        }
    }

    @Override
    public void close() {}
}
