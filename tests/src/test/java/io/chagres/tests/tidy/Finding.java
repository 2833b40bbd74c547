package io.chagres.tests.tidy;

/** One place that breaks a rule. */
record Finding(String file, long line, String message) {
    @Override
    public String toString() {
        return file + ":" + line + ": " + message;
    }
}
