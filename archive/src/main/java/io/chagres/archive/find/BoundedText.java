package io.chagres.archive.find;

/**
 * A text at which an expression may look so often, and no more: the JDK tries some expressions on a long line for
 * hours. Confined to one thread.
 */
final class BoundedText implements CharSequence {
    /** An expression that needs more for one line takes more than a second for it. */
    private static final int MOST_LOOKS = 1 << 28;

    private final String text;
    private int looksLeft = MOST_LOOKS;

    BoundedText(String text) {
        this.text = text;
    }

    /** An expression has looked too often. */
    static final class TooManyLooksException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManyLooksException() {
            super(null, null, false, false);
        }
    }

    /** Lets another search look as often. */
    void begin() {
        looksLeft = MOST_LOOKS;
    }

    @Override
    public char charAt(int index) {
        if (--looksLeft < 0) {
            throw new TooManyLooksException();
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
