package io.chagres.faultfs;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code chagres-faultfs rule}: the rules of a mount that is there. */
@Command(
        name = "rule",
        header = "Adds, lists and removes rules of a mount that was given --socket.",
        synopsisSubcommandLabel = "COMMAND")
final class RuleCommand implements Runnable {
    @Spec
    CommandSpec spec = CommandSpec.create();

    @ParentCommand
    FaultFsCommand parent = new FaultFsCommand(System.out);

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "add, list, remove or clear is missing");
    }

    @Command(name = "add", header = "Lets one more rule hold; prints its number in JSON.")
    int add(
            @Mixin ControlOptions control,
            @Parameters(arity = "1..*", paramLabel = "KEY=VALUE", description = "The words of the rule.")
                    List<String> words)
            throws IOException {
        String rule = String.join(" ", words);
        try {
            FaultRule.parse(rule);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.subcommands().get("add"), String.valueOf(e.getMessage()));
        }
        return print(control.order("rule add " + rule));
    }

    @Command(name = "list", header = "Prints all rules in JSON, with how many requests each has met.")
    int list(@Mixin ControlOptions control) throws IOException {
        return print(control.order("rule list"));
    }

    @Command(name = "remove", header = "Ends a rule.")
    int remove(
            @Mixin ControlOptions control,
            @Parameters(paramLabel = "NUMBER", description = "As add and list print it.") int number)
            throws IOException {
        control.order("rule remove " + number);
        return 0;
    }

    @Command(name = "clear", header = "Ends all rules.")
    int clear(@Mixin ControlOptions control) throws IOException {
        control.order("rule clear");
        return 0;
    }

    private int print(String json) {
        parent.out().println(json);
        return 0;
    }
}
