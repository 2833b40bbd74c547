package io.chagres.foreign;

/**
 * Whether misuse of scratch memory and buffers is searched for: costs time and objects, so it is off unless the JVM
 * starts with {@code -Dio.chagres.foreign.checked=true}. A constant to the JIT: the checks cost nothing when off.
 */
final class Checked {
    static final boolean ON = Boolean.getBoolean("io.chagres.foreign.checked");

    private Checked() {}
}
