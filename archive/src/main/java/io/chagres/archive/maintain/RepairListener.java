package io.chagres.archive.maintain;

/** Hears of each step before it is done, or would be. */
@FunctionalInterface
public interface RepairListener {
    /** Something is done with an object: why, and what that means. */
    void step(RepairAction action, String object, String why, String consequence);
}
