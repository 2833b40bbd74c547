package io.chagres.archive.read;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Keeps a fault of one host of an archive from ending the work on the others: the fault is reported once, and the work
 * on the others continues. A store that does not answer at all is no fault of a host and ends the work. Safe for any
 * thread.
 */
public final class HostFaults {
    /** Hears of hosts that cannot be read, or not wholly. */
    @FunctionalInterface
    public interface Listener {
        /** Something of a host cannot be read; each cause is reported once. */
        void fault(HostRegistry.Owner host, IOException cause);
    }

    /** Work on one host. */
    @FunctionalInterface
    public interface Step {
        /** Does it; what it prints or writes may fail too, and that ends the work on all hosts. */
        void run() throws IOException;
    }

    private final BlobStore store;
    private final Listener listener;
    private final Set<String> told = new HashSet<>();

    /** Makes it for the hosts of a store, which stays the caller's. */
    public HostFaults(BlobStore store, Listener listener) {
        this.store = store;
        this.listener = listener;
    }

    /**
     * Does something for a host. Returns whether it came to its end; if not, the listener heard why.
     *
     * @throws IOException when the cause is not the host: its target, or a store that does not answer
     */
    public boolean attempt(HostRegistry.Owner host, Step step) throws IOException {
        return attempt(host, step, UnaryOperator.identity());
    }

    /**
     * Does something for a host as above.
     *
     * @param fault makes of a cause what the listener hears: whose fault it is, when it is not that of all the host
     */
    public boolean attempt(HostRegistry.Owner host, Step step, UnaryOperator<IOException> fault) throws IOException {
        try {
            step.run();
            return true;
        } catch (CorruptArchiveException | CompactedHistoryException | EncryptedException | NoSuchBlobException e) {
            tell(host, fault.apply(e));
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            tell(host, fault.apply(e));
        } catch (UncheckedIOException e) { // of what is read while somebody goes through it
            return attempt(
                    host,
                    () -> {
                        throw e.getCause();
                    },
                    fault);
        } catch (OutOfMemoryError e) { // no stack holds what was loaded, so there is room for the next host
            tell(host, fault.apply(new MemoryException()));
        }
        return false;
    }

    /** Tells the listener that something of a host cannot be read, unless it heard so before. */
    public synchronized void tell(HostRegistry.Owner host, IOException cause) {
        if (told.add(host.id() + " " + cause.getMessage())) {
            listener.fault(host, cause);
        }
    }

    /** Returns how many faults the listener heard. */
    public synchronized int count() {
        return told.size();
    }
}
