package io.chagres.archive;

import io.chagres.archive.store.StoreException;
import java.io.IOException;

/** Says that an object of an archive is not what a writer of this format makes: which object, and what is wrong. */
public final class CorruptArchiveException extends IOException {
    private static final long serialVersionUID = 1;

    private static final String MISSING = "it is missing";
    private static final String ALTERED = "it is another commit than the one that was acknowledged, or damaged";

    private final String object;
    private final String fault;

    /**
     * Makes an exception.
     *
     * @param object the key of the object
     * @param fault what is wrong with it
     */
    public CorruptArchiveException(String object, String fault) {
        super(object + " is damaged: " + fault);
        this.object = object;
        this.fault = fault;
    }

    /** Makes one of an object that is not there. */
    public static CorruptArchiveException missing(String object) {
        return new CorruptArchiveException(object, MISSING);
    }

    /** Makes one of a commit whose bytes are not those that were acknowledged, though readers may take them. */
    public static CorruptArchiveException altered(String object) {
        return new CorruptArchiveException(object, ALTERED);
    }

    /** Makes one of a refusal because what has the object's name is no object; throws any other refusal. */
    public static CorruptArchiveException noObject(String object, StoreException refusal) throws StoreException {
        if (refusal.kind() != StoreException.Kind.NO_OBJECT) {
            throw refusal;
        }
        return new CorruptArchiveException(object, "what has its name is no object: " + refusal.getMessage());
    }

    /** Says whether the object is not there at all, so that nothing of it can be read. */
    public boolean isMissing() {
        return fault.equals(MISSING);
    }

    /** Says whether the object is a commit whose writer knows that it holds other bytes, whatever a reader finds. */
    public boolean isAltered() {
        return fault.equals(ALTERED);
    }

    /** Returns the key of the object. */
    public String object() {
        return object;
    }

    /** Returns what is wrong with it. */
    public String fault() {
        return fault;
    }
}
