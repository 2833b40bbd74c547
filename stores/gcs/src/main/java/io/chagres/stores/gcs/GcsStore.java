package io.chagres.stores.gcs;

import com.google.api.client.http.HttpResponse;
import com.google.api.services.storage.Storage;
import com.google.api.services.storage.model.Objects;
import com.google.api.services.storage.model.StorageObject;
import io.chagres.archive.store.AnswerClock;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.CollectedWriter;
import io.chagres.archive.store.ConditionProbe;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.SegmentContent;
import io.chagres.archive.store.StoreTraits;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store in Google Cloud Storage. An object is one upload under the condition that no generation of its key exists,
 * with the checksum of its bytes, which the server compares. Safe for any thread.
 */
final class GcsStore implements BlobStore {
    private static final String INFO_FIELDS = "nextPageToken,items(name,size,timeCreated)";
    private static final long NO_GENERATION = 0;
    private static final int WHOLE = 200;
    private static final int MAX_PAGE_OBJECTS = 1000;

    private final ObjectAddress address;
    private final AnswerClock clock = new AnswerClock();
    private final GcsOptions options;
    private final Storage client;

    private GcsStore(ObjectAddress address, Map<String, String> environment) throws IOException {
        this.address = address;
        options = GcsOptions.of(address);
        client = GcsClients.create(address, environment, clock);
    }

    /** Opens a store; with {@code create} proves that it can be written and keeps the condition. */
    static GcsStore open(ObjectAddress address, Map<String, String> environment, boolean create) throws IOException {
        GcsStore store = new GcsStore(address, environment);
        if (create) {
            ConditionProbe.prove(store, "ifGenerationMatch", "Use Google's own, or a server that keeps it");
        }
        return store;
    }

    @Override
    public String name() {
        return address.name();
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        return put(key, new SegmentContent(List.of(content)));
    }

    private boolean put(String key, SegmentContent content) throws IOException {
        StorageObject object = options.object(key, content.crc32c());
        try {
            Storage.Objects.Insert insert = options.keep(client.objects()
                    .insert(address.bucket(), object, new Upload(content))
                    .setName(address.prefix() + key)
                    .setIfGenerationMatch(NO_GENERATION)
                    .setFields("name"));
            options.paid(insert);
            insert.getMediaHttpUploader().setDirectUploadEnabled(true);
            insert.setDisableGZipContent(true).execute();
            return true;
        } catch (IOException e) {
            if (GcsFailure.saysThatItExists(e)) {
                return false;
            }
            throw GcsFailure.of(address, key, e);
        } catch (IllegalArgumentException e) {
            throw GcsFailure.strange(address, key, e);
        }
    }

    @Override
    public BlobWriter create(String key) {
        return new CollectedWriter(this, this::put, key);
    }

    /** Google promises that no list lags ("Cloud Storage consistency"); nobody knows that of other servers. */
    @Override
    public StoreTraits traits() {
        return StoreTraits.ofCloud(address.parameters().containsKey(ObjectAddress.ENDPOINT));
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        long wanted = Math.min(target.byteSize(), Integer.MAX_VALUE);
        if (wanted == 0) {
            return 0;
        }
        try {
            return SegmentContent.read(() -> open(key, offset, wanted), target, wanted);
        } catch (IOException e) {
            if (GcsFailure.status(e) == GcsFailure.RANGE_NOT_SATISFIABLE) {
                return 0;
            }
            throw isMissing(key, e) ? new NoSuchBlobException(key) : GcsFailure.ofReading(address, key, e);
        }
    }

    private InputStream open(String key, long offset, long wanted) throws IOException {
        Storage.Objects.Get get = options.paid(client.objects().get(address.bucket(), address.prefix() + key));
        get.getRequestHeaders()
                .setRange("bytes=" + offset + "-" + (offset + wanted - 1))
                .setAcceptEncoding(null);
        HttpResponse response = get.executeMedia();
        boolean isWhole = response.getStatusCode() == WHOLE;
        if (!SegmentContent.beginsAt(isWhole, response.getHeaders().getContentRange(), offset)) {
            response.disconnect();
            throw SegmentContent.elsewhere(name(), key);
        }
        InputStream content = response.getContent();
        return new FilterInputStream(content == null ? InputStream.nullInputStream() : content) {
            @Override
            public void close() throws IOException {
                super.close();
                response.disconnect();
            }
        };
    }

    @Override
    public long size(String key) throws IOException {
        try {
            return options.paid(client.objects().get(address.bucket(), address.prefix() + key))
                    .setFields("size")
                    .execute()
                    .getSize()
                    .longValueExact();
        } catch (IOException e) {
            if (GcsFailure.saysThatItIsMissing(e) || isMissing(key, e)) {
                return -1; // a missing bucket answers the same here, and every other call names it
            }
            throw GcsFailure.of(address, key, e);
        } catch (IllegalArgumentException e) {
            throw GcsFailure.strange(address, key, e);
        }
    }

    /**
     * Says whether a refused object is not there. Google may say so only to users who may list the whole bucket; a user
     * who may list a part finds out this way.
     */
    private boolean isMissing(String key, IOException refusal) {
        if (GcsFailure.status(refusal) != GcsFailure.FORBIDDEN) {
            return false;
        }
        try {
            BlobInfo first = BlobList.first(this, key);
            return first == null || !first.key().equals(key);
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        Storage.Objects.List request =
                listing(prefix).setFields(INFO_FIELDS).setMaxResults((long) Math.min(maxObjects, MAX_PAGE_OBJECTS));
        if (afterKey != null) {
            request.setStartOffset(address.prefix() + afterKey); // which begins with this key itself
        }
        List<BlobInfo> found = new ArrayList<>();
        Objects page;
        do {
            page = execute(prefix, request);
            for (StorageObject object : objects(page)) {
                BlobInfo info = info(object);
                if (!info.key().equals(afterKey)) {
                    found.add(info);
                }
            }
            request.setPageToken(page.getNextPageToken());
        } while (found.isEmpty() && page.getNextPageToken() != null);
        return new BlobPage(found, page.getNextPageToken() == null);
    }

    private BlobInfo info(StorageObject object) {
        return new BlobInfo(
                object.getName().substring(address.prefix().length()),
                object.getSize().longValueExact(),
                object.getTimeCreated().getValue());
    }

    private Storage.Objects.List listing(String prefix) throws IOException {
        return options.paid(client.objects().list(address.bucket())).setPrefix(address.prefix() + prefix);
    }

    private Objects execute(String prefix, Storage.Objects.List request) throws IOException {
        try {
            return request.execute();
        } catch (IOException e) {
            throw GcsFailure.of(address, prefix, e);
        } catch (IllegalArgumentException e) {
            throw GcsFailure.strange(address, prefix, e);
        }
    }

    private static List<StorageObject> objects(Objects page) {
        return page.getItems() == null ? List.of() : page.getItems();
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        List<String> names = new ArrayList<>();
        Storage.Objects.List request =
                listing(prefix).setDelimiter("/").setFields("nextPageToken,prefixes,items(name)");
        int skipped = address.prefix().length() + prefix.length();
        Objects page;
        do {
            page = execute(prefix, request);
            for (String below : page.getPrefixes() == null ? List.<String>of() : page.getPrefixes()) {
                names.add(below.substring(skipped, below.length() - 1));
            }
            for (StorageObject object : objects(page)) {
                if (object.getName().length() > skipped) { // some tools make an object for a folder itself
                    names.add(object.getName().substring(skipped));
                }
            }
            request.setPageToken(page.getNextPageToken());
        } while (page.getNextPageToken() != null);
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
            options.paid(client.objects().delete(address.bucket(), address.prefix() + key))
                    .execute();
        } catch (IOException e) {
            if (GcsFailure.status(e) != GcsFailure.NOT_FOUND) {
                throw GcsFailure.of(address, key, e);
            }
        }
    }

    @Override
    public void close() {}
}
