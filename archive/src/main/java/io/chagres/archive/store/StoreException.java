package io.chagres.archive.store;

import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.concurrent.TimeoutException;

/** Says that a store refused something: which object, and why. Nothing that was acknowledged before is lost. */
public final class StoreException extends IOException {
    private static final long serialVersionUID = 1;

    /** Says what a refusal means. */
    public enum Kind {
        /** It may pass by itself. */
        PASSING,
        /** The store has too much to do: it passes when the same is asked again, later. */
        BUSY,
        /** The store has no room, or a quota is used up: it passes when there is room again. */
        FULL,
        /** Nobody answered: the line or the store is away, and it passes when it is back. */
        SILENT,
        /** Trying again is of no use until somebody changes something. */
        LASTING,
        /** The object is there, and the store gives no bytes of it until somebody has asked for it: it is archived. */
        ARCHIVED,
        /** The file that has the object's name is no object: a link, a FIFO, a directory. */
        NO_OBJECT
    }

    private final Kind kind;
    private final long retryAfterMs;

    /** Makes an exception with a message for people and the cause behind it; it may pass. */
    public StoreException(String message, Exception cause) {
        this(message, cause, Kind.PASSING);
    }

    /**
     * Makes an exception with a message for people and the cause behind it.
     *
     * @param lasting whether trying again is of no use until somebody changes something
     */
    public StoreException(String message, Exception cause, boolean lasting) {
        this(message, cause, lasting ? Kind.LASTING : Kind.PASSING);
    }

    /** Makes an exception with a message for people, the cause behind it, and what it means. */
    public StoreException(String message, Exception cause, Kind kind) {
        this(message, cause, kind, 0);
    }

    /**
     * Makes an exception of a store that says when it wants to be asked again.
     *
     * @param retryAfterMs how long it wants to be left alone, in milliseconds; 0 when it does not say
     */
    public StoreException(String message, Exception cause, Kind kind, long retryAfterMs) {
        super(message, cause);
        this.kind = kind;
        this.retryAfterMs = retryAfterMs;
    }

    /** Makes an exception with a message for people, about what stays as it is: an address, a store's kind. */
    public StoreException(String message) {
        super(message);
        kind = Kind.LASTING;
        retryAfterMs = 0;
    }

    /** Returns what it means. */
    public Kind kind() {
        return kind;
    }

    /** Returns how long the store wants to be left alone, in milliseconds; 0 when it does not say. */
    public long retryAfterMs() {
        return retryAfterMs;
    }

    /** Says whether trying again is of no use until somebody changes something. */
    public boolean isLasting() {
        return kind != Kind.PASSING && kind != Kind.FULL && !isAway();
    }

    /** Says whether it says nothing of what is stored: the store did not give the object, which may be whole. */
    public boolean isUnanswered() {
        return isAway() || kind == Kind.ARCHIVED;
    }

    /** Says whether the store does nothing that it is asked for now: the same question is to be asked again, later. */
    public boolean isAway() {
        return kind == Kind.BUSY || kind == Kind.SILENT;
    }

    /**
     * Says whether a vendor's client failed because of the line, and not because of what was said on it. A certificate
     * that nobody trusts is no fault of the line, nor is an interrupt of this side.
     */
    public static boolean isOfTheLine(Throwable failure) {
        boolean ofTheLine = false;
        for (Throwable at = failure; at != null; at = at.getCause() == at ? null : at.getCause()) {
            if (at instanceof CertificateException || at instanceof CertPathBuilderException) {
                return false;
            }
            ofTheLine |=
                    (at instanceof IOException && !(at instanceof StoreException)) || at instanceof TimeoutException;
        }
        return ofTheLine;
    }
}
