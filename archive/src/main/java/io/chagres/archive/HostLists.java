package io.chagres.archive;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store for a command that reads hosts once. For one host it takes all folders from one list, for many
 * hosts from lists that they share. A page begins at the checkpoints of a host, behind its heartbeats, which nobody
 * reads here, and shows as much as one request does. A folder that does not end in its page is listed as usual. So no
 * host takes more lists than without, and compacted ones take a tenth of one or less. The marks of checkpoints, a key
 * or two for a host, are in pages of their own. A list is of the moment of its page until {@link #forget} is
 * called. Safe for any thread.
 */
public final class HostLists extends CachingStore {
    private static final Set<String> KEPT = Set.of("checkpoints", "filters", "history", "log", "tables");

    /** The most keys that are kept of pages that hosts share, 100 bytes each; later hosts have lists of their own. */
    private static final int MAX_SHARED_KEYS = 200_000;

    /** Pages of single hosts: more than are read beside each other. */
    private static final int MAX_OWN_PAGES = 64;

    /** After this number of pages they must have shown more hosts than pages, or hosts are listed one by one. */
    private static final int TRIED_PAGES = 8;

    /** The number of hosts in a row whose marks are mostly in one page. */
    private static final int HOSTS_OF_MARKS = 300;

    /** The keys behind one and up to another. */
    private record Page(String from, String to, List<BlobInfo> objects) {
        boolean covers(String start, String end) {
            return from.compareTo(start) <= 0 && end.compareTo(to) <= 0;
        }

        /** Returns those behind a key and before another. */
        List<BlobInfo> within(String start, String end) {
            List<BlobInfo> found = new ArrayList<>();
            for (int i = firstBehind(start); i < objects.size(); i++) {
                BlobInfo each = objects.get(i);
                if (each.key().compareTo(end) >= 0) {
                    break;
                }
                found.add(each);
            }
            return found;
        }

        private int firstBehind(String start) {
            int low = 0;
            int high = objects.size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (objects.get(middle).key().compareTo(start) > 0) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return low;
        }
    }

    /** Whether a list is no request, so that nothing is spared by fewer of them. */
    private final boolean isLocal;

    private final Object sharing = new Object();
    private final NavigableMap<String, Page> pages = new TreeMap<>();
    private final Deque<String> own = new ArrayDeque<>();
    private final Set<String> forgotten = ConcurrentHashMap.newKeySet();
    /** Sorted. */
    private List<String> hosts = List.of();
    /** About how many of them are in a page; 0 before the first. */
    private int hostsOfPage;

    private int sharedPages;
    private int sharedHosts;
    private int sharedKeys;

    /**
     * Stands before a store.
     *
     * @param store is closed with this one
     */
    public HostLists(BlobStore store) {
        super(store);
        isLocal = store.traits().isLocal();
    }

    /** Says which hosts will be read, in any order; those of one list share it. */
    public synchronized void expectHosts(Collection<String> hostIds) {
        hosts = hostIds.size() > 1 ? hostIds.stream().sorted().toList() : List.of();
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        boolean ofMarks = prefix.startsWith(ArchiveLayout.COMPACTED);
        String hostId = ofMarks || isKept(prefix) ? hostOf(prefix) : null;
        if (hostId == null || forgotten.contains(hostId) || maxObjects == 1 || isLocal) {
            return super.page(prefix, afterKey, maxObjects);
        }
        if (ofMarks) {
            fetchMarks(hostId);
        } else {
            fetch(hostId);
        }
        String start = afterKey == null || afterKey.compareTo(prefix) < 0 ? prefix : afterKey;
        String end = behind(prefix);
        Page page = at(start, end);
        return page == null
                ? super.page(prefix, afterKey, maxObjects)
                : BlobPage.of(page.within(start, end), maxObjects);
    }

    /** Returns the host of a key or prefix; null when it is of none. */
    private static @Nullable String hostOf(String key) {
        String[] parts = key.split("/", 3);
        boolean ofHost = key.startsWith(ArchiveLayout.HOSTS) || key.startsWith(ArchiveLayout.COMPACTED);
        return ofHost && parts.length == 3 ? parts[1] : null;
    }

    /** Says whether a key, or a prefix that ends with a slash, is of a folder that pages are kept of. */
    private static boolean isKept(String key) {
        String[] parts = key.split("/", 4);
        return parts.length == 4 && KEPT.contains(parts[2]);
    }

    /** Returns the first key that does not begin with a prefix, of those behind it. */
    private static String behind(String prefix) {
        return prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1);
    }

    private synchronized @Nullable Page at(String start, String end) {
        Map.Entry<String, Page> before = pages.floorEntry(start);
        return before != null && before.getValue().covers(start, end) ? before.getValue() : null;
    }

    /** Lists a host unless it was: as a whole with others, or as far as one page shows it. */
    private void fetch(String hostId) throws IOException {
        if (!isListed(hostId) && !shares()) {
            addOwn(listed(ArchiveLayout.host(hostId), hostId));
        } else if (!isListed(hostId)) {
            synchronized (sharing) { // who waits here is likely to find its host in the page
                if (!isListed(hostId)) {
                    addShared(listed(ArchiveLayout.HOSTS, firstOfPage(hostId)));
                }
                if (!isListed(hostId)) {
                    addShared(listed(ArchiveLayout.HOSTS, hostId));
                }
            }
        }
    }

    /** Lists the marks of a host with those of others that will be read; of one host alone nothing is spared. */
    private void fetchMarks(String hostId) throws IOException {
        if (!sharesMarks() || isShownMarked(hostId)) {
            return;
        }
        synchronized (sharing) {
            if (!isShownMarked(hostId)) {
                addMarks(firstOfMarks(hostId));
            }
            if (!isShownMarked(hostId)) {
                addMarks(hostId);
            }
        }
    }

    private synchronized boolean sharesMarks() {
        return !hosts.isEmpty() && sharedKeys < MAX_SHARED_KEYS;
    }

    private boolean isShownMarked(String hostId) {
        String begin = ArchiveLayout.marks(hostId);
        return at(begin, behind(begin)) != null;
    }

    private synchronized String firstOfMarks(String hostId) {
        int at = Collections.binarySearch(hosts, hostId);
        return at < 0 ? hostId : hosts.get(at / HOSTS_OF_MARKS * HOSTS_OF_MARKS);
    }

    private void addMarks(String hostId) throws IOException {
        String begin = ArchiveLayout.marks(hostId);
        BlobPage shown = store.page(ArchiveLayout.COMPACTED, begin, Integer.MAX_VALUE);
        BlobList marks = new BlobList();
        shown.objects().forEach(marks::add);
        marks.pack();
        String to = shown.isLast()
                ? behind(ArchiveLayout.COMPACTED)
                : shown.objects().getLast().key();
        synchronized (this) {
            pages.put(begin, new Page(begin, to, marks));
            sharedKeys += marks.size();
        }
    }

    /** Returns the host a page begins with: hosts come in any order, and their pages should not overlap. */
    private synchronized String firstOfPage(String hostId) {
        int at = Collections.binarySearch(hosts, hostId);
        if (at < 0) {
            return hostId;
        }
        return hostsOfPage == 0 ? hosts.getFirst() : hosts.get(at / hostsOfPage * hostsOfPage);
    }

    private synchronized boolean isListed(String hostId) {
        String begin = ArchiveLayout.checkpoints(hostId);
        return pages.containsKey(begin) || at(begin, behind(ArchiveLayout.host(hostId))) != null;
    }

    private Page listed(String prefix, String hostId) throws IOException {
        String begin = ArchiveLayout.checkpoints(hostId);
        BlobPage shown = store.page(prefix, begin, Integer.MAX_VALUE);
        BlobList kept = new BlobList();
        for (BlobInfo each : shown.objects()) {
            if (isKept(each.key())) {
                kept.add(each);
            }
        }
        kept.pack();
        String to = shown.isLast() ? behind(prefix) : shown.objects().getLast().key();
        return new Page(begin, to, kept);
    }

    private synchronized boolean shares() {
        boolean pays = sharedPages < TRIED_PAGES || sharedHosts > 2 * sharedPages;
        return !hosts.isEmpty() && pays && sharedKeys < MAX_SHARED_KEYS;
    }

    private synchronized void addShared(Page page) {
        pages.put(page.from, page);
        sharedPages++;
        sharedKeys += page.objects.size();
        Set<String> shown = new HashSet<>();
        for (BlobInfo each : page.objects) {
            shown.add(String.valueOf(hostOf(each.key())));
        }
        shown.removeIf(each -> Collections.binarySearch(hosts, each) < 0);
        sharedHosts += shown.size();
        if (hostsOfPage == 0) {
            hostsOfPage = Math.max(1, shown.size() * 4 / 5); // others may have a little more
        }
    }

    private synchronized void addOwn(Page page) {
        pages.put(page.from, page);
        own.add(page.from);
        if (own.size() > MAX_OWN_PAGES) {
            pages.remove(own.remove());
        }
    }

    @Override
    public void forget(String key) {
        String hostId = key.endsWith("/") ? hostOf(key) : null;
        if (hostId != null) {
            forgotten.add(hostId);
        }
        super.forget(key);
    }
}
