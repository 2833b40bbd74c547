package io.chagres.cli.doctor;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.command.TimeoutOption;
import io.chagres.cli.ship.ShipPlan;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Table;
import io.chagres.linux.Pathname;
import io.chagres.ship.Source;
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
        description = {
            "Looks at the machine, at the rights of this user and at what is to be shipped; with an archive also"
                    + " whether it takes writes, what time it has and what a day costs. Run it as the user of the"
                    + " unit. It changes nothing, but for an object 'probe' in an object store, as each ship puts."
        },
        footer = {
            "",
            "Examples:",
            "  chagres doctor",
            "  chagres doctor /var/log --to /mnt/archive",
            "  chagres doctor --config /etc/chagres/chagres.toml",
            "",
            "Exit codes: 0 shipping can work; 1 something that it cannot do without is missing; 2 usage."
        })
public final class DoctorCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(arity = "0..*", paramLabel = "PATH", description = "Paths that are to be shipped (default: here).")
    List<String> paths = List.of();

    @Option(names = "--to", paramLabel = "STORE", description = "Also check an archive.")
    @Nullable
    String store;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Check paths and archive of this configuration file (default: the one of ship, if there is one"
                            + " and neither PATH nor --to is given).")
    @Nullable
    String config;

    @Mixin
    TimeoutOption timeout = new TimeoutOption();

    @Mixin
    StateOption state = new StateOption();

    @Mixin
    OutputOptions output = new OutputOptions();

    /** Makes the command; picocli fills its fields. */
    public DoctorCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        Diagnosis diagnosis = new Diagnosis();
        MachineChecks.run(diagnosis);
        ShipPlan plan = plan();
        DirectoryChecks directories = new DirectoryChecks(diagnosis);
        for (Source source : plan.options().sources()) {
            for (String path : source.paths()) {
                directories.source(Pathname.of(path).absolute());
            }
        }
        directories.state(state.directory(context.environment()));
        long bytes = new TreeChecks(diagnosis, timeout.leftMs(context.clock())).run(plan);
        if (!plan.store().isEmpty()) {
            StoreChecks archive = new StoreChecks(diagnosis, plan, timeout, context);
            archive.run(context.clock());
            archive.room(bytes);
        }
        print(diagnosis);
        return diagnosis.failed() ? ExitCode.FAILED : ExitCode.DONE;
    }

    private ShipPlan plan() throws IOException {
        String file = config != null || !paths.isEmpty() || store != null ? config : ShipPlan.usualFile();
        return file == null
                ? ShipPlan.of(context, paths.isEmpty() ? List.of(".") : paths, store)
                : ShipPlan.ofFile(context, file);
    }

    private void print(Diagnosis diagnosis) throws IOException {
        if (output.json) {
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
            if (output.quiet && finding.result() == Diagnosis.Result.OK) {
                continue;
            }
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
