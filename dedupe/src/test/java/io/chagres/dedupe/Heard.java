package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;

/** Keeps what a listener hears, as lines. */
final class Heard implements DedupeListener {
    final List<String> shared = new ArrayList<>();
    final List<String> ranges = new ArrayList<>();
    final List<String> skipped = new ArrayList<>();
    final List<String> unsupported = new ArrayList<>();

    @Override
    public void shared(Pathname source, Pathname file, long lengthBytes) {
        shared.add(source.name() + " " + file.name() + " " + lengthBytes);
    }

    @Override
    public void sharedRange(Pathname source, long sourcePosition, Pathname file, long position, long lengthBytes) {
        ranges.add(source.name() + " " + sourcePosition + " " + file.name() + " " + position + " " + lengthBytes);
    }

    @Override
    public void skipped(Pathname path, Outcome outcome, int errno) {
        skipped.add(path.name() + " " + outcome + (errno == 0 ? "" : " " + Errno.name(errno)));
    }

    @Override
    public void unsupported(Pathname path, long type) {
        unsupported.add(path.name().toString());
    }
}
