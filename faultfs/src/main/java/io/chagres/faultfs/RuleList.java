package io.chagres.faultfs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** The rules of a mount, by number. Safe for any thread. */
final class RuleList {
    private final FaultMount mount;
    private final RandomGenerator random;
    private final Map<Integer, Entry> entries = new TreeMap<>();
    private int last;

    private record Entry(FaultRule rule, FileFault fault) {}

    /**
     * Makes an empty list.
     *
     * @param random decides for rules with a probability, under this list's lock or a fault's
     */
    RuleList(FaultMount mount, RandomGenerator random) {
        this.mount = mount;
        this.random = random;
    }

    /** Lets a rule hold and returns its number. */
    synchronized int add(FaultRule rule) {
        // One generator would be used by several faults at a time.
        RandomGenerator own = new java.util.SplittableRandom(random.nextLong());
        entries.put(++last, new Entry(rule, rule.begin(mount.faults(), own)));
        return last;
    }

    /** Ends a rule. Returns false if there is none of this number. */
    synchronized boolean remove(int number) {
        Entry entry = entries.remove(number);
        if (entry != null) {
            entry.fault.remove();
        }
        return entry != null;
    }

    synchronized void clear() {
        entries.values().forEach(entry -> entry.fault.remove());
        entries.clear();
    }

    /** Returns them as JSON, with how many requests each has met. */
    synchronized String json() {
        List<String> objects = new ArrayList<>();
        entries.forEach((number, entry) -> objects.add("{\"id\":%d,\"rule\":%s,\"met\":%d}"
                .formatted(number, Json.quoted(entry.rule.toString()), entry.fault.met())));
        return "[" + String.join(",", objects) + "]";
    }
}
