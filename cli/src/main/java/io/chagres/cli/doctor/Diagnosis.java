package io.chagres.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what {@code doctor} finds. Confined to one thread. */
final class Diagnosis {
    private final List<Finding> findings = new ArrayList<>();

    /** How a check ended. */
    enum Result {
        /** As it should be. */
        OK,
        /** Works, with a limit worth knowing. */
        WARN,
        /** Shipping or reading cannot work. */
        FAIL
    }

    /**
     * One line of the diagnosis.
     *
     * @param check what was looked at
     * @param detail what was found
     * @param fix the command or the change that fixes it; null when nothing is wrong
     */
    record Finding(
            String check,
            Result result,
            String detail,
            @Nullable String fix) {}

    void ok(String check, String detail) {
        findings.add(new Finding(check, Result.OK, detail, null));
    }

    void warn(String check, String detail, String fix) {
        findings.add(new Finding(check, Result.WARN, detail, fix));
    }

    void fail(String check, String detail, String fix) {
        findings.add(new Finding(check, Result.FAIL, detail, fix));
    }

    /** Adds an OK or, with the same detail, a warning. */
    void expect(boolean good, String check, String detail, String fix) {
        if (good) {
            ok(check, detail);
        } else {
            warn(check, detail, fix);
        }
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }

    boolean failed() {
        return findings.stream().anyMatch(finding -> finding.result() == Result.FAIL);
    }
}
