package io.chagres.archive.store;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what somebody may have meant. Stateless. */
public final class Spelling {
    private static final int MAX_EDITS = 3;

    private Spelling() {}

    /** Returns the word that is most like another one, if any is like it at all. */
    public static Optional<String> nearest(String word, Collection<String> words) {
        return words.stream()
                .filter(each -> edits(word, each) <= Math.min(MAX_EDITS, Math.max(1, word.length() / 2)))
                .min(Comparator.comparingInt(each -> edits(word, each)));
    }

    /** Returns the least number of letters to add, remove or replace (Levenshtein's distance). */
    static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
