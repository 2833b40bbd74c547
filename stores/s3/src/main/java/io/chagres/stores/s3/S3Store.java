package io.chagres.stores.s3;

import io.chagres.archive.store.AnswerClock;
import io.chagres.archive.store.ArchiveTier;
import io.chagres.archive.store.ArchivedBlob;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.CollectedWriter;
import io.chagres.archive.store.ConditionProbe;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.SegmentContent;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.StoreTraits;
import io.chagres.archive.store.ThawClass;
import io.chagres.archive.store.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.RestoreRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.model.Tier;

/**
 * A store in S3, or in another maker's store that speaks its protocol. An object is one put under the condition that
 * its key does not exist; a store that ignores the condition is refused, since two writers would replace each other's
 * commits there. Safe for any thread.
 */
final class S3Store implements BlobStore, ArchiveTier {
    private static final String NEVER = "*";
    private static final int WHOLE = 200;
    private static final int MAX_PAGE_OBJECTS = 1000;
    /** In the answer about an object that somebody has asked for. */
    private static final String UNDER_WAY = "ongoing-request=\"true\"";

    private static final int CONFLICT = 409;
    private static final String CONTENT_TYPE = "application/octet-stream";

    private final S3Address address;
    private final AnswerClock clock = new AnswerClock();
    private final ListPromise promise;
    private final TlsFiles tls;
    private final Consumer<String> notes;
    private final S3Client first;
    private volatile S3Client client;
    /** Where the bucket was found to be; null as long as nobody said that it is elsewhere. */
    private @Nullable String region;

    private S3Store(S3Address address, Map<String, String> environment, Consumer<String> notes) throws StoreException {
        this.address = address;
        this.notes = notes;
        promise = new ListPromise(address.consistentLists());
        tls = S3Clients.tls(address.place().parameters(), environment);
        first = S3Clients.create(address, null, tls, clock, promise);
        client = first;
    }

    /** Opens a store; with {@code create} proves that it can be written and keeps the condition. */
    static S3Store open(S3Address address, Map<String, String> environment, boolean create, Consumer<String> notes)
            throws IOException {
        S3Store store;
        try {
            store = new S3Store(address, environment, notes);
        } catch (SdkException e) {
            throw S3Failure.of(address, "", e);
        }
        if (create) {
            ConditionProbe.prove(
                    store, "If-None-Match", "Use one that keeps conditional writes: AWS, MinIO, Ceph, R2, versitygw");
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

    /** Puts an object unless its key exists. */
    private boolean put(String key, SegmentContent content) throws IOException {
        try {
            String checksum = content.crc32c();
            asked(s3 -> s3.putObject(
                    put -> put.bucket(address.bucket())
                            .key(address.prefix() + key)
                            .ifNoneMatch(NEVER)
                            .contentLength(content.length())
                            .checksumCRC32C(checksum),
                    RequestBody.fromContentProvider(content::stream, content.length(), CONTENT_TYPE)));
            return true;
        } catch (S3Exception e) {
            if (e.statusCode() == S3Failure.PRECONDITION_FAILED) {
                return false;
            }
            if (e.statusCode() == CONFLICT) {
                throw new StoreException(name() + ": " + key + ": another writer puts it at this moment", e);
            }
            throw S3Failure.ofPut(address, key, e);
        } catch (SdkException e) {
            throw S3Failure.ofPut(address, key, e);
        }
    }

    @Override
    public BlobWriter create(String key) {
        return new CollectedWriter(this, this::put, key);
    }

    @Override
    public StoreTraits traits() {
        return StoreTraits.ofCloud(!promise.isGiven());
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        long wanted = Math.min(target.byteSize(), Integer.MAX_VALUE);
        if (wanted == 0) {
            return 0;
        }
        String range = "bytes=" + offset + "-" + (offset + wanted - 1);
        try {
            return SegmentContent.read(() -> open(key, offset, range), target, wanted);
        } catch (S3Exception e) {
            if (e.statusCode() == S3Failure.RANGE_NOT_SATISFIABLE) {
                return 0;
            }
            throw isMissing(key, e) ? new NoSuchBlobException(key) : S3Failure.of(address, key, e);
        } catch (SdkException e) {
            throw S3Failure.of(address, key, e);
        } catch (NoSuchBlobException | StoreException e) {
            throw e;
        } catch (IOException e) {
            throw new StoreException(
                    name() + ": " + key + ": the answer broke off: " + e.getMessage(), e, StoreException.Kind.SILENT);
        }
    }

    private InputStream open(String key, long offset, String range) throws StoreException {
        ResponseInputStream<GetObjectResponse> answer = asked(s3 -> s3.getObject(
                get -> get.bucket(address.bucket()).key(address.prefix() + key).range(range)));
        boolean isWhole = answer.response().sdkHttpResponse().statusCode() == WHOLE;
        if (!SegmentContent.beginsAt(isWhole, answer.response().contentRange(), offset)) {
            answer.abort();
            throw SegmentContent.elsewhere(name(), key);
        }
        return answer;
    }

    @Override
    public long size(String key) throws IOException {
        try {
            Long bytes = asked(s3 ->
                            s3.headObject(head -> head.bucket(address.bucket()).key(address.prefix() + key)))
                    .contentLength();
            if (bytes == null) {
                throw new StoreException(name() + ": " + key + ": the answer says no length; is the endpoint right?");
            }
            return bytes;
        } catch (S3Exception e) {
            if (e.statusCode() == S3Failure.NOT_FOUND || isMissing(key, e)) {
                return -1; // a missing bucket answers the same here, and every other call names it
            }
            throw S3Failure.of(address, key, e);
        } catch (SdkException e) {
            throw S3Failure.of(address, key, e);
        }
    }

    @Override
    public @Nullable ArchivedBlob find(String key) throws IOException {
        if (!ArchivedBlob.isArchived(this, key)) {
            return null;
        }
        HeadObjectResponse head = asking(
                key, s3 -> s3.headObject(ask -> ask.bucket(address.bucket()).key(address.prefix() + key)));
        String tier = head.archiveStatusAsString() != null ? head.archiveStatusAsString() : head.storageClassAsString();
        return new ArchivedBlob(
                key,
                head.contentLength() == null ? 0 : head.contentLength(),
                tier == null ? "archive" : tier,
                head.restore() != null && head.restore().contains(UNDER_WAY));
    }

    /** An object in a tier of Intelligent-Tiering comes back for good, and S3 refuses to hear of days. */
    @Override
    public void thaw(ArchivedBlob blob, ThawClass thawClass, int days) throws IOException {
        boolean forGood = blob.tier().endsWith("_ACCESS");
        String name = thawClass.name().charAt(0) + thawClass.name().substring(1).toLowerCase(Locale.ROOT);
        try {
            asked(s3 -> s3.restoreObject(ask -> ask.bucket(address.bucket())
                    .key(address.prefix() + blob.key())
                    .restoreRequest(RestoreRequest.builder()
                            .days(forGood ? null : days)
                            .glacierJobParameters(job -> job.tier(Tier.fromValue(name)))
                            .build())));
        } catch (S3Exception e) {
            if (!S3Failure.code(e).equals("RestoreAlreadyInProgress")) {
                throw S3Failure.of(address, blob.key(), e);
            }
        } catch (SdkException e) {
            throw S3Failure.of(address, blob.key(), e);
        }
    }

    /**
     * Says whether a refused object is not there. S3 says so only to users who may list the whole bucket; a user who
     * may list a part finds out this way.
     */
    private boolean isMissing(String key, S3Exception refusal) {
        if (refusal.statusCode() != S3Failure.FORBIDDEN || S3Failure.isArchived(refusal)) {
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
        ListObjectsV2Request.Builder request = ListObjectsV2Request.builder()
                .bucket(address.bucket())
                .prefix(address.prefix() + prefix)
                .maxKeys(Math.min(maxObjects, MAX_PAGE_OBJECTS));
        if (afterKey != null) {
            request.startAfter(address.prefix() + afterKey);
        }
        ListObjectsV2Response page = list(prefix, request);
        while (page.contents().isEmpty() && goesOn(page)) {
            page = list(prefix, request.continuationToken(page.nextContinuationToken()));
        }
        return new BlobPage(page.contents().stream().map(this::info).toList(), !goesOn(page));
    }

    /** Says whether there is more than a part of a list shows: a key that is not shown is not absent. */
    private boolean goesOn(ListObjectsV2Response page) throws StoreException {
        boolean next = page.nextContinuationToken() != null;
        if (!next && Boolean.TRUE.equals(page.isTruncated())) {
            throw new StoreException(
                    name() + ": a list says that there is more and not how it continues; is the endpoint right?",
                    new IOException("no token"));
        }
        return next;
    }

    private BlobInfo info(S3Object object) {
        return new BlobInfo(
                object.key().substring(address.prefix().length()),
                object.size(),
                object.lastModified().toEpochMilli());
    }

    private ListObjectsV2Response list(String prefix, ListObjectsV2Request.Builder request) throws IOException {
        ListObjectsV2Response page = asking(prefix, s3 -> s3.listObjectsV2(request.build()));
        if (page.contents().isEmpty() && page.commonPrefixes().isEmpty() && !isList(page)) {
            throw new StoreException(
                    name() + ": " + prefix
                            + ": the answer is no list of objects: the endpoint is wrong, or a proxy answers in its"
                            + " place",
                    new IOException("no list"));
        }
        return page;
    }

    /** Says whether an answer has anything that a list says: the SDK takes any document for an empty list. */
    private static boolean isList(ListObjectsV2Response page) {
        return page.isTruncated() != null || page.name() != null || page.prefix() != null || page.keyCount() != null;
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        List<String> names = new ArrayList<>();
        ListObjectsV2Request.Builder request = ListObjectsV2Request.builder()
                .bucket(address.bucket())
                .prefix(address.prefix() + prefix)
                .delimiter("/");
        int skipped = address.prefix().length() + prefix.length();
        ListObjectsV2Response page;
        do {
            page = list(prefix, request);
            for (CommonPrefix below : page.commonPrefixes()) {
                names.add(below.prefix().substring(skipped, below.prefix().length() - 1));
            }
            for (S3Object object : page.contents()) {
                if (object.key().length() > skipped) { // some tools make an object for a folder itself
                    names.add(object.key().substring(skipped));
                }
            }
            request.continuationToken(page.nextContinuationToken());
        } while (goesOn(page));
        names.sort(null);
        return names;
    }

    @Override
    public long nowMs() throws IOException {
        return clock.nowMs(this);
    }

    @Override
    public void delete(String key) throws IOException {
        asking(
                key,
                s3 -> s3.deleteObject(delete -> delete.bucket(address.bucket()).key(address.prefix() + key)));
    }

    private <T> T asking(String key, Function<S3Client, T> call) throws IOException {
        try {
            return asked(call);
        } catch (SdkException e) {
            throw S3Failure.of(address, key, e);
        }
    }

    /** Asks once more, and never again, where the bucket is said to be, or at the time that it is said to be. */
    private <T> T asked(Function<S3Client, T> call) {
        try {
            return call.apply(client);
        } catch (S3Exception e) {
            String there = S3Failure.region(e);
            if (there == null ? !S3Failure.isOfTheClock(e) : !goTo(there)) {
                throw e;
            }
        }
        return call.apply(client);
    }

    /** Follows the bucket to its region; false if it was followed elsewhere already, or is asked there. */
    private synchronized boolean goTo(String there) {
        if (region != null) {
            return region.equals(there); // another thread went there just now
        }
        String here = first.serviceClientConfiguration().region().id();
        if (there.equals(here)) {
            return false;
        }
        client = S3Clients.create(address, there, tls, clock, promise);
        region = there;
        notes.accept(name() + ": the bucket is in the region " + there + ", not in " + here
                + "; it is asked there from now" + " on, and ?region=" + there + " spares the detour");
        return true;
    }

    @Override
    public synchronized void close() {
        client.close();
        first.close();
    }
}
