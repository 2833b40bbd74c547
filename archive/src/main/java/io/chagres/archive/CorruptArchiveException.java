package io.chagres.archive;

import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.List;

/** Says that an object of an archive is not what a writer of this format makes: which object, and what is wrong. */
public final class CorruptArchiveException extends IOException {
    private static final long serialVersionUID = 1;

    private static final String MISSING = "it is missing";
    private static final String LOST = "it was acknowledged, and is missing or has another size";
    private static final String UNNAMED = "the commit that names its bytes is damaged";
    private static final String ALTERED = "it is another commit than the one that was acknowledged, or damaged";

    private final String object;
    private final String fault;
    private final transient List<String> altered;

    /**
     * Makes an exception.
     *
     * @param object the key of the object
     * @param fault what is wrong with it
     */
    public CorruptArchiveException(String object, String fault) {
        this(object, fault, List.of());
    }

    private CorruptArchiveException(String object, String fault, List<String> altered) {
        super(object + " is damaged: " + fault);
        this.object = object;
        this.fault = fault;
        this.altered = List.copyOf(altered);
    }

    /** Makes one of an object that is not there. */
    public static CorruptArchiveException missing(String object) {
        return new CorruptArchiveException(object, MISSING);
    }

    /** Makes one of a version of whose bytes a repair says that no commit is left that names them. */
    public static CorruptArchiveException unnamed(String version) {
        return new CorruptArchiveException(version, UNNAMED);
    }

    /** Makes one of a commit whose bytes are not those that were acknowledged, though readers may take them. */
    public static CorruptArchiveException altered(String object) {
        return new CorruptArchiveException(object, ALTERED, List.of(object));
    }

    /** Makes one of data objects that were acknowledged, and are gone or have another size; at least one. */
    public static CorruptArchiveException lost(List<String> objects) {
        String others = objects.size() == 1 ? "" : " (" + objects.size() + " objects in all)";
        return new CorruptArchiveException(objects.getFirst(), LOST + others, objects);
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

    /** Says whether a repair says that the bytes are lost. */
    public boolean isUnnamed() {
        return fault.equals(UNNAMED);
    }

    /** Returns the keys of what its writer knows to be other than it was acknowledged, whatever a reader finds. */
    public List<String> altered() {
        return altered;
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
