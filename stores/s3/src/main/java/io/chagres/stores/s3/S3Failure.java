package io.chagres.stores.s3;

import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.RetryAfter;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.InvalidObjectStateException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Makes exceptions of the SDK those of a store; the only place that does. No message holds a credential or a URL. */
final class S3Failure {
    static final int FORBIDDEN = 403;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;
    private static final int INSUFFICIENT_STORAGE = 507;
    private static final String ARCHIVED = "InvalidObjectState";
    static final int NOT_FOUND = 404;
    static final int PRECONDITION_FAILED = 412;
    static final int RANGE_NOT_SATISFIABLE = 416;
    private static final int MAX_MESSAGE = 300;
    private static final String WRONG_REGION = "AuthorizationHeaderMalformed";

    /** Where no header says it, the message does. */
    private static final Pattern REGION = Pattern.compile("expecting '([^']*)'");

    private S3Failure() {}

    /** Returns what to throw for a failed call that concerns an object. */
    static IOException of(S3Address address, String key, SdkException failure) {
        return of(address, key, failure, false);
    }

    /** Returns what to throw for a failed call that makes an object. */
    static IOException ofPut(S3Address address, String key, SdkException failure) {
        return of(address, key, failure, true);
    }

    private static IOException of(S3Address address, String key, SdkException failure, boolean ofPut) {
        if (failure instanceof S3Exception refusal) {
            return refused(address, key, refusal, ofPut);
        }
        String where = address.name() + (key.isEmpty() ? "" : ": " + key);
        boolean silent = StoreException.isOfTheLine(failure);
        return new StoreException(
                where + ": " + cause(failure) + TlsFiles.advice(failure),
                failure,
                silent ? StoreException.Kind.SILENT : StoreException.Kind.PASSING);
    }

    private static IOException refused(S3Address address, String key, S3Exception refusal, boolean ofPut) {
        String code = code(refusal);
        if (code.equals("NoSuchKey")) {
            return new NoSuchBlobException(key);
        }
        if (refusal.statusCode() == NOT_FOUND && code.isEmpty()) {
            return new StoreException(
                    address.name() + (key.isEmpty() ? "" : ": " + key)
                            + ": the answer is none of S3 (404); is the endpoint right?",
                    refusal);
        }
        if (code.equals("NoSuchBucket")) {
            return new StoreException(
                    address.name() + ": there is no bucket " + address.bucket() + "; make it, or correct its name",
                    refusal);
        }
        String details = refusal.awsErrorDetails() == null
                ? ""
                : bounded(refusal.awsErrorDetails().errorMessage());
        return new StoreException(
                address.name() + (key.isEmpty() ? "" : ": " + key) + ": " + refusal.statusCode() + " " + code
                        + (details.isEmpty() ? "" : ": " + details) + advice(address, code, ofPut) + tier(refusal),
                refusal,
                kind(refusal.statusCode(), code),
                retryAfterMs(refusal));
    }

    private static long retryAfterMs(S3Exception refusal) {
        SdkHttpResponse answer = answer(refusal);
        return answer == null
                ? 0
                : RetryAfter.ms(
                        answer.firstMatchingHeader("Retry-After").orElse(null),
                        answer.firstMatchingHeader("Date").orElse(null));
    }

    private static @Nullable SdkHttpResponse answer(S3Exception refusal) {
        return refusal.awsErrorDetails() == null
                ? null
                : refusal.awsErrorDetails().sdkHttpResponse();
    }

    private static StoreException.Kind kind(int status, String code) {
        if (code.equals(ARCHIVED)) {
            return StoreException.Kind.ARCHIVED;
        }
        // Ceph and MinIO say it so; at AWS nothing is full.
        if (status == INSUFFICIENT_STORAGE || code.endsWith("QuotaExceeded") || code.endsWith("StorageFull")) {
            return StoreException.Kind.FULL;
        }
        boolean isBusy = status == TOO_MANY_REQUESTS || status >= SERVER_ERROR;
        return isBusy ? StoreException.Kind.BUSY : StoreException.Kind.PASSING;
    }

    /** Says whether an object is there, and its bytes are not to be had now. */
    static boolean isArchived(S3Exception refusal) {
        return code(refusal).equals(ARCHIVED);
    }

    private static String tier(S3Exception refusal) {
        if (!isArchived(refusal)) {
            return "";
        }
        String tier = refusal instanceof InvalidObjectStateException state && state.storageClassAsString() != null
                ? state.storageClassAsString()
                : "GLACIER or DEEP_ARCHIVE";
        return " (it is whole, in the archive tier " + tier + ": 'chagres restore --thaw' asks for what a restore"
                + " needs, 'aws s3api restore-object' for one object; let no lifecycle rule move what is read)";
    }

    /** Returns the code the store gave, or nothing. */
    static String code(S3Exception refusal) {
        if (refusal.awsErrorDetails() == null || refusal.awsErrorDetails().errorCode() == null) {
            return "";
        }
        return refusal.awsErrorDetails().errorCode();
    }

    private static String advice(S3Address address, String code, boolean ofPut) {
        return switch (code) {
            case "AccessDenied" ->
                " (needed: s3:PutObject and s3:GetObject on the prefix, s3:ListBucket; 'compact'"
                        + " also s3:DeleteObject, 'restore --thaw' s3:RestoreObject"
                        + (address.headers().usesKms() ? "; kms:GenerateDataKey and kms:Decrypt on the key" : "")
                        + policy(address.headers().unsent(ofPut)) + ")";
            case "RequestTimeTooSkewed" -> " (set the clock of this machine)";
            case "PermanentRedirect", "AuthorizationHeaderMalformed" -> " (name the bucket's region: ?region=...)";
            default -> "";
        };
    }

    private static String policy(String unsent) {
        return unsent.isEmpty()
                ? ""
                : ". If that is granted, a policy of the bucket may want a header that this address does not ask for: "
                        + unsent;
    }

    /** Returns the region in which the bucket is, if a refusal says so; else null. */
    static @Nullable String region(S3Exception refusal) {
        if (refusal.awsErrorDetails() == null) {
            return null;
        }
        SdkHttpResponse answer = answer(refusal);
        String region = answer == null
                ? null
                : answer.firstMatchingHeader("x-amz-bucket-region").orElse(null);
        String message = refusal.awsErrorDetails().errorMessage();
        if (region == null && message != null && code(refusal).equals(WRONG_REGION)) {
            Matcher said = REGION.matcher(message);
            region = said.find() ? said.group(1) : null;
        }
        return region != null && S3Address.isRegion(region) ? region : null;
    }

    /** Says whether a request was refused only because the clock here is wrong, which the SDK has now noted. */
    static boolean isOfTheClock(S3Exception refusal) {
        return code(refusal).equals("RequestTimeTooSkewed");
    }

    private static String cause(SdkException failure) {
        String message = failure.getMessage() == null ? "" : failure.getMessage();
        if (failure instanceof SdkClientException) {
            if (message.startsWith("Unable to load credentials")) {
                return "no credentials for S3 are in the environment, the AWS profile or the role of this machine";
            }
            if (message.startsWith("Unable to load region")) {
                return "no region is known: name it by ?region=... or AWS_REGION";
            }
        }
        Throwable deepest = failure;
        while (deepest.getCause() != null && deepest.getCause() != deepest) {
            deepest = deepest.getCause();
        }
        return deepest instanceof IOException
                ? bounded(deepest.getClass().getSimpleName() + ": " + deepest.getMessage())
                : bounded(message);
    }

    private static String bounded(@Nullable String text) {
        if (text == null) {
            return "";
        }
        String line = text.strip().replaceAll("\\s+", " ").replaceAll("\\.$", ""); // ours ends the sentence
        return line.length() <= MAX_MESSAGE ? line : line.substring(0, MAX_MESSAGE) + " ...";
    }
}
