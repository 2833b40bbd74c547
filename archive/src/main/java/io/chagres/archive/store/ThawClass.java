package io.chagres.archive.store;

/** How fast an object comes back from an archive tier, and so at what price: the vendors' own classes. */
public enum ThawClass {
    /** Minutes, at the highest price; not from the deepest tiers, and not always to be had. */
    EXPEDITED,
    /** Hours. */
    STANDARD,
    /** Up to two days, at the lowest price. */
    BULK
}
