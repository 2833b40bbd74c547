package io.chagres.cli.doctor;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.JsonOption;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Table;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres doctor}: tells what this machine offers, what is missing, and the command that fixes it. */
@Command(
        name = "doctor",
        header = "Check this machine: what shipping needs, what is missing, how to fix it.",
        description = "Exits with 1 if something that shipping cannot do without is missing.",
        footer = {"", "Examples:", "  chagres doctor", "  chagres doctor /var/log --to /mnt/archive"})
public final class DoctorCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(arity = "0..*", paramLabel = "PATH", description = "Paths that are to be shipped (default: here).")
    List<String> paths = List.of(".");

    @Option(names = "--to", paramLabel = "STORE", description = "Also check an archive.")
    @Nullable
    String store;

    @Mixin
    StateOption state = new StateOption();

    @Mixin
    JsonOption json = new JsonOption();

    /** Makes the command; picocli fills its fields. */
    public DoctorCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        Diagnosis diagnosis = new Diagnosis();
        MachineChecks.run(diagnosis);
        DirectoryChecks directories = new DirectoryChecks(diagnosis);
        for (String path : paths) {
            directories.source(Pathname.of(path).absolute());
        }
        directories.state(state.directory(context.environment()));
        if (store != null) {
            directories.archive(store);
        }
        print(diagnosis);
        return diagnosis.failed() ? ExitCode.FAILED : ExitCode.DONE;
    }

    private void print(Diagnosis diagnosis) throws IOException {
        if (json.json) {
            for (Diagnosis.Finding finding : diagnosis.findings()) {
                JsonWriter line = new JsonWriter().beginObject();
                line.member("check", finding.check()).member("result", word(finding.result()));
                line.member("detail", finding.detail()).member("fix", finding.fix());
                context.out().line(line.endObject());
            }
            return;
        }
        Table table = new Table("lll");
        for (Diagnosis.Finding finding : diagnosis.findings()) {
            table.row(finding.check(), word(finding.result()), finding.detail());
            if (finding.fix() != null) {
                table.row("", "", "fix: " + finding.fix());
            }
        }
        for (String line : table.lines()) {
            context.out().line(line);
        }
    }

    private static String word(Diagnosis.Result result) {
        return result.name().toLowerCase(Locale.ROOT);
    }
}
