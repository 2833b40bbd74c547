package io.chagres.archive.verify;

/**
 * One thing that is wrong.
 *
 * @param object the key of the object
 * @param what what is wrong with it
 * @param consequence what that means for a reader of the archive
 */
public record VerifyFault(String object, String what, String consequence) {
    /** Returns the fault as one line. */
    @Override
    public String toString() {
        return object + ": " + what + "; " + consequence;
    }
}
