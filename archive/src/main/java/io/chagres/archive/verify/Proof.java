package io.chagres.archive.verify;

import java.util.List;

/** The proof that signatures give of one host. Immutable.
 *
 * @param hostId the host
 * @param provenTo the last commit up to which everything there is is proven; 0 for nothing
 * @param spans all commits in order, those of one reason together
 * @param unsigned objects that readers believe and no signature covers by a digest: checkpoints, tables, histories,
 *     filters, and the data objects that these refer to
 */
public record Proof(String hostId, long provenTo, List<Span> spans, Unsigned unsigned) {
    /**
     * Objects that no signature covers.
     *
     * @param count how many
     * @param first the key of the first; empty when there is none
     */
    public record Unsigned(long count, String first) {
        /** There is none. */
        public static final Unsigned NONE = new Unsigned(0, "");

        /** Returns them as a sentence. */
        @Override
        public String toString() {
            return count + (count == 1 ? " object" : " objects") + " unproven: no signature covers " + first
                    + (count == 1 ? "" : " and others like it");
        }
    }

    /**
     * Commits that follow each other.
     *
     * @param from the first
     * @param to the last
     * @param proven whether somebody who is trusted signed them, and what they refer to is what was signed
     * @param why by whom they are proven, or why they are not
     */
    public record Span(long from, long to, boolean proven, String why) {
        /** Returns the span as a sentence. */
        @Override
        public String toString() {
            String commits = from == to ? "commit " + from : "commits " + from + " to " + to;
            return commits + (proven ? " proven: " : " unproven: ") + why;
        }
    }

    /** Says whether all there is is proven. */
    public boolean isWhole() {
        return unsigned.count() == 0 && !spans.isEmpty() && spans.stream().allMatch(Span::proven);
    }
}
