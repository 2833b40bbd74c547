package io.chagres.archive.age;

import java.util.List;
import java.util.stream.Stream;

/**
 * The keys that a program uses on an archive. Immutable.
 *
 * @param identities open what is encrypted
 * @param bytes to whom the bytes of files are encrypted; to nobody: they are not
 * @param records to whom is encrypted what an archive says of files, their names above all
 */
public record KeyRing(List<AgeIdentity> identities, List<AgeRecipient> bytes, List<AgeRecipient> records) {
    /** Nothing is encrypted, and nothing encrypted can be read. */
    public static final KeyRing NONE = new KeyRing(List.of(), List.of(), List.of());

    /** Copies the lists. */
    public KeyRing {
        identities = List.copyOf(identities);
        bytes = List.copyOf(bytes);
        records = List.copyOf(records);
    }

    /** Returns the keys of a reader. */
    public static KeyRing reading(List<AgeIdentity> identities) {
        return new KeyRing(identities, List.of(), List.of());
    }

    /**
     * Returns the keys of a writer who reads nothing but its own records again.
     *
     * @param recipients everything is encrypted to them, and records to the writer as well
     */
    public static KeyRing writing(AgeIdentity own, List<AgeRecipient> recipients) {
        return reading(List.of(own)).to(recipients, List.of(own.recipient()));
    }

    /**
     * Returns the same identities with other recipients.
     *
     * @param recipients of everything; nobody when nothing is to be encrypted
     * @param own who can open records as well
     */
    public KeyRing to(List<AgeRecipient> recipients, List<AgeRecipient> own) {
        return new KeyRing(
                identities,
                recipients,
                Stream.concat(recipients.stream(), own.stream()).toList());
    }

    /** Says whether an identity opens what is encrypted to those who may read everything. */
    public boolean opensAll() {
        return identities.stream().map(AgeIdentity::recipient).anyMatch(bytes::contains);
    }

    /** Says whether anything is encrypted or can be decrypted. */
    public boolean isEmpty() {
        return identities.isEmpty() && !encrypts();
    }

    /** Says whether what is written is encrypted. */
    public boolean encrypts() {
        return !records.isEmpty();
    }
}
