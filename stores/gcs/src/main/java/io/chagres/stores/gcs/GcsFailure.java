package io.chagres.stores.gcs;

import com.google.api.client.googleapis.json.GoogleJsonResponseException;
import com.google.api.client.http.HttpResponseException;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.RetryAfter;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Makes exceptions of Google's client those of a store; the only place that does. No message holds a credential. */
final class GcsFailure {
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int RANGE_NOT_SATISFIABLE = 416;
    private static final int PRECONDITION_FAILED = 412;
    private static final int UNAUTHORIZED = 401;
    private static final int CONFLICT = 409;
    private static final int MAX_MESSAGE = 300;

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;

    private GcsFailure() {}

    /** Returns the status of a refusal, or 0 when nobody refused. */
    static int status(IOException failure) {
        return failure instanceof HttpResponseException refusal ? refusal.getStatusCode() : 0;
    }

    /** Says whether Google's library looked everywhere and found nothing; else it found something that is of no use. */
    static boolean saysThatThereAreNoCredentials(IOException failure) {
        return failure.getMessage() != null
                && failure.getMessage().startsWith("Your default credentials were not found");
    }

    static StoreException noCredentials(ObjectAddress address, IOException failure) {
        return new StoreException(
                address.name() + ": no credentials for Google Cloud are in the file that GOOGLE_APPLICATION_CREDENTIALS"
                        + " names, in gcloud's application default credentials or in the service account of this"
                        + " machine",
                failure);
    }

    static StoreException badCredentials(ObjectAddress address, IOException failure) {
        return new StoreException(
                address.name() + ": the credentials for Google Cloud are of no use: " + bounded(failure.getMessage()),
                failure);
    }

    static StoreException noToken(ObjectAddress address, IOException failure) {
        return new StoreException(
                address.name() + ": Google gives no access token for the credentials: " + cause(failure), failure);
    }

    /**
     * Says whether a put was refused because its key exists. A user who may not delete may get that answer instead,
     * since Google counts replacing as deleting and asks about it only where there is something to replace.
     */
    static boolean saysThatItExists(IOException failure) {
        return status(failure) == PRECONDITION_FAILED
                || (status(failure) == FORBIDDEN && message(failure).contains("storage.objects.delete"));
    }

    /** Returns what to throw when an object could not be read. */
    static IOException ofReading(ObjectAddress address, String key, IOException failure) {
        if (saysThatItIsMissing(failure) && !message(failure).contains("bucket does not exist")) {
            return new NoSuchBlobException(key);
        }
        return of(address, key, failure);
    }

    /** Says whether the store answers that something is not there; a page for people comes from somebody else. */
    static boolean saysThatItIsMissing(IOException failure) {
        return status(failure) == NOT_FOUND && !message(failure).stripLeading().startsWith("<");
    }

    /** Returns what to throw for a failed call that needs no object to exist. */
    static IOException of(ObjectAddress address, String key, IOException failure) {
        if (failure instanceof StoreException) {
            return failure;
        }
        int status = status(failure);
        if (status == NOT_FOUND && !saysThatItIsMissing(failure)) {
            return strange(address, key, failure);
        }
        if (status == NOT_FOUND) {
            return new StoreException(
                    address.name() + ": there is no bucket " + address.bucket() + "; make it, or correct its name",
                    failure);
        }
        String where = address.name() + (key.isEmpty() ? "" : ": " + key) + ": ";
        if (status == CONFLICT) {
            return new StoreException(where + "another writer puts it at this moment", failure);
        }
        boolean isBusy = status == TOO_MANY_REQUESTS || status >= SERVER_ERROR;
        if (status == 0) {
            boolean silent = StoreException.isOfTheLine(failure);
            return new StoreException(
                    where + cause(failure) + TlsFiles.advice(failure),
                    failure,
                    silent ? StoreException.Kind.SILENT : StoreException.Kind.PASSING);
        }
        return new StoreException(
                where + refusal(address, failure),
                failure,
                isBusy ? StoreException.Kind.BUSY : StoreException.Kind.PASSING,
                retryAfterMs(failure));
    }

    private static long retryAfterMs(IOException failure) {
        return failure instanceof HttpResponseException refusal && refusal.getHeaders() != null
                ? RetryAfter.ms(
                        refusal.getHeaders().getRetryAfter(),
                        refusal.getHeaders().getDate())
                : 0;
    }

    /** Returns what to throw when the answer was none of Google Cloud Storage. */
    static IOException strange(ObjectAddress address, String key, Exception failure) {
        return new StoreException(
                address.name() + (key.isEmpty() ? "" : ": " + key)
                        + ": the answer is none of Google Cloud Storage; is the endpoint right?",
                failure);
    }

    private static String refusal(ObjectAddress address, IOException failure) {
        int status = status(failure);
        String text = message(failure);
        return status + (text.isEmpty() ? "" : ": " + bounded(text)) + advice(address, status);
    }

    private static String message(IOException failure) {
        if (failure instanceof GoogleJsonResponseException json && json.getDetails() != null) {
            String message = json.getDetails().getMessage();
            return message == null ? "" : message;
        }
        return failure instanceof HttpResponseException other && other.getContent() != null ? other.getContent() : "";
    }

    private static String advice(ObjectAddress address, int status) {
        return switch (status) {
            case UNAUTHORIZED -> " (credentials: GOOGLE_APPLICATION_CREDENTIALS, gcloud or the machine's account)";
            case FORBIDDEN ->
                " (needed: storage.objects.create, storage.objects.get and"
                        + " storage.objects.list; 'compact' also storage.objects.delete. If that is granted, the bucket"
                        + " may want what this address does not ask for: " + GcsOptions.unsent(address.parameters())
                        + ")";
            default -> "";
        };
    }

    private static String cause(IOException failure) {
        Throwable deepest = failure;
        while (deepest.getCause() != null && deepest.getCause() != deepest) {
            deepest = deepest.getCause();
        }
        return bounded(deepest.getClass().getSimpleName() + ": " + deepest.getMessage());
    }

    private static String bounded(@Nullable String text) {
        if (text == null) {
            return "";
        }
        String line = text.strip().replaceAll("\\s+", " ").replaceAll("\\.$", ""); // ours ends the sentence
        return line.length() <= MAX_MESSAGE ? line : line.substring(0, MAX_MESSAGE) + " ...";
    }
}
