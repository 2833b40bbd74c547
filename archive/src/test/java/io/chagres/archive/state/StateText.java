package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Writes everything a state holds as lines, to compare two. */
public final class StateText {
    private StateText() {}

    public static List<String> of(HostState state) {
        List<String> lines = new ArrayList<>();
        HexFormat hex = HexFormat.of();
        lines.add("seq " + state.seq() + " time " + state.timeMs() + " clean " + state.closedCleanly() + " next "
                + state.nextVersionId());
        lines.add("chain " + hex.formatHex(state.chain()) + " incarnation " + hex.formatHex(state.incarnation()));
        lines.add("last "
                + (state.lastIncarnation() == null
                        ? "none"
                        : state.lastIncarnation().hostName()));
        for (FileVersion version : state.versions()) {
            lines.add(of(version));
        }
        for (NameTree.Entry entry : state.names()) {
            FileVersion version = entry.version();
            lines.add(entry.path() + " " + entry.kind() + " " + (version == null ? 0 : version.id()) + " "
                    + entry.target() + " " + entry.attributes());
        }
        return lines;
    }

    private static String of(FileVersion version) {
        StringBuilder line = new StringBuilder("version ").append(ArchiveLayout.hex(version.id()));
        line.append(' ').append(version.key()).append(' ').append(version.previousVersion());
        line.append(' ').append(version.startPosition()).append(' ').append(version.openedPath());
        line.append(' ').append(version.openedMs()).append(' ').append(version.changedMs());
        line.append(' ').append(version.attributes()).append(' ').append(version.state());
        line.append(' ').append(version.length()).append(' ').append(version.paths());
        line.append(" last ").append(version.lastPath());
        List<LogRecord.Extent> extents = version.extents() == null ? List.of() : version.extents();
        for (LogRecord.Extent extent : extents) {
            line.append("\n  ").append(extent instanceof LogRecord.ObjectRun run ? of(run) : extent.toString());
        }
        line.append(version.compressedCopies());
        return line.toString();
    }

    private static String of(LogRecord.ObjectRun run) {
        return run.toString().replaceAll("crcs=[^,]*", "crcs=" + java.util.Arrays.toString(run.crcs()));
    }
}
