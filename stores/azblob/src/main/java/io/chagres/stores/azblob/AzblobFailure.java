package io.chagres.stores.azblob;

import com.azure.core.exception.ClientAuthenticationException;
import com.azure.core.http.HttpHeaderName;
import com.azure.storage.blob.models.BlobErrorCode;
import com.azure.storage.blob.models.BlobStorageException;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.RetryAfter;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes exceptions of Azure's client those of a store; the only place that does. No message holds a credential. */
final class AzblobFailure {
    static final int RANGE_NOT_SATISFIABLE = 416;
    private static final int NOT_FOUND = 404;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int MAX_MESSAGE = 300;

    private static final Set<BlobErrorCode> EXISTS =
            Set.of(BlobErrorCode.BLOB_ALREADY_EXISTS, BlobErrorCode.CONDITION_NOT_MET);
    private static final Set<BlobErrorCode> NO_CONTAINER =
            Set.of(BlobErrorCode.CONTAINER_NOT_FOUND, BlobErrorCode.CONTAINER_BEING_DELETED);

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;
    private static final Set<BlobErrorCode> ARCHIVED =
            Set.of(BlobErrorCode.BLOB_ARCHIVED, BlobErrorCode.BLOB_BEING_REHYDRATED);

    private AzblobFailure() {}

    /** Returns the status of a refusal, or 0 when nobody refused. */
    static int status(RuntimeException failure) {
        return failure instanceof BlobStorageException refusal ? refusal.getStatusCode() : 0;
    }

    private static @Nullable BlobErrorCode code(RuntimeException failure) {
        return failure instanceof BlobStorageException refusal ? refusal.getErrorCode() : null;
    }

    /** Says whether a put was refused because its key exists; other refusals have the same status. */
    static boolean saysThatItExists(RuntimeException failure) {
        BlobErrorCode code = code(failure);
        return code != null && EXISTS.contains(code);
    }

    /** Says whether an object, and nothing around it, is missing. */
    static boolean saysThatItIsMissing(RuntimeException failure) {
        return status(failure) == NOT_FOUND && code(failure) != null && !saysThatThereIsNoContainer(failure);
    }

    private static boolean saysThatThereIsNoContainer(RuntimeException failure) {
        BlobErrorCode code = code(failure);
        return code != null && NO_CONTAINER.contains(code);
    }

    /** Returns what to throw when an object could not be read. */
    static IOException ofReading(ObjectAddress address, String key, RuntimeException failure) throws StoreException {
        return saysThatItIsMissing(failure) ? new NoSuchBlobException(key) : of(address, key, failure);
    }

    /** Returns what to throw for a failed call that needs no object to exist. */
    static IOException of(ObjectAddress address, String key, RuntimeException failure) throws StoreException {
        if (saysThatThereIsNoContainer(failure)) {
            return new StoreException(
                    address.name() + ": there is no container " + address.bucket() + "; make it, or correct its name",
                    failure);
        }
        if (failure instanceof ClientAuthenticationException) {
            return new StoreException(
                    address.name() + ": Azure gives no access token; credentials come from "
                            + AzblobClients.CREDENTIALS,
                    failure);
        }
        String where = address.name() + (key.isEmpty() ? "" : ": " + key) + ": ";
        int status = status(failure);
        return new StoreException(
                where
                        + (status == 0
                                ? cause(failure) + TlsFiles.advice(failure)
                                : refusal(address, failure, status) + tier(failure)),
                failure,
                kind(failure, status),
                retryAfterMs(failure));
    }

    private static long retryAfterMs(RuntimeException failure) {
        return failure instanceof BlobStorageException refusal && refusal.getResponse() != null
                ? RetryAfter.ms(
                        refusal.getResponse().getHeaders().getValue(HttpHeaderName.RETRY_AFTER),
                        refusal.getResponse().getHeaders().getValue(HttpHeaderName.DATE))
                : 0;
    }

    private static boolean isArchived(RuntimeException failure) {
        BlobErrorCode code = code(failure);
        return code != null && ARCHIVED.contains(code);
    }

    private static StoreException.Kind kind(RuntimeException failure, int status) {
        if (isArchived(failure)) {
            return StoreException.Kind.ARCHIVED;
        }
        if (status == 0 && StoreException.isOfTheLine(failure)) {
            return StoreException.Kind.SILENT;
        }
        boolean isBusy = status == TOO_MANY_REQUESTS || status >= SERVER_ERROR;
        return isBusy ? StoreException.Kind.BUSY : StoreException.Kind.PASSING;
    }

    private static String tier(RuntimeException failure) {
        return !isArchived(failure)
                ? ""
                : " (it is whole, in the archive tier: 'chagres restore --thaw' asks for what a restore needs,"
                        + " 'az storage blob set-tier --tier Hot' for one object; let no lifecycle rule move what is"
                        + " read)";
    }

    private static String refusal(ObjectAddress address, RuntimeException failure, int status) throws StoreException {
        BlobErrorCode code = code(failure);
        return code == null ? strange(Integer.toString(status)) : status + " " + code + advice(address, status);
    }

    private static String strange(String what) {
        return "the answer is none of Azure Blob Storage (" + what + "); is the endpoint right?";
    }

    private static String advice(ObjectAddress address, int status) throws StoreException {
        return switch (status) {
            case UNAUTHORIZED -> " (credentials: " + AzblobClients.CREDENTIALS + ")";
            case FORBIDDEN ->
                " (needed: the role Storage Blob Data Contributor, or a token that may read, create and"
                        + " list; and a clock that is right. If that is so, a policy may want what this address does"
                        + " not ask for: "
                        + AzblobOptions.of(address).unsent().replaceFirst(", $", "") + ")";
            default -> "";
        };
    }

    /** Quotes only what is about the connection: texts of the client may hold a token. */
    private static String cause(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            boolean onlyWraps = at.getClass() == IOException.class && at.getCause() instanceof RuntimeException;
            boolean ofTheJdk = at.getClass().getName().startsWith("java");
            if (at instanceof IOException && ofTheJdk && !onlyWraps) {
                return bounded(at.getClass().getSimpleName() + (at.getMessage() == null ? "" : ": " + at.getMessage()));
            }
        }
        return strange(failure.getClass().getSimpleName());
    }

    private static String bounded(String text) {
        String line = text.strip().replaceAll("\\s+", " ").replaceAll("\\.$", ""); // ours ends the sentence
        return line.length() <= MAX_MESSAGE ? line : line.substring(0, MAX_MESSAGE) + " ...";
    }
}
