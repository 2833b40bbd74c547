package io.chagres.cli;

import io.chagres.cli.ship.ConfigKeys;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Writes the manual page of the configuration file, from the options that its keys stand for. */
final class ConfigPage {
    /** A file that is good. */
    static final String EXAMPLE = """
            to = "s3://${BUCKET:-logs}/web?region=eu-west-1"
            drain = "25s"
            max-lag = "10s"

            [[source]]
            paths = ["/var/log/app"]
            exclude = ["*.gz"]

            [[source]]
            paths = ["/srv/*/logs"]
            max-lag = "200ms"
            """;

    private ConfigPage() {}

    /**
     * Returns the page.
     *
     * @param ship the command whose options the keys are
     * @param config the command that checks the file
     */
    static String of(CommandSpec ship, CommandSpec config) {
        ManPage page = new ManPage("chagres.toml", 5);
        page.section("NAME");
        page.text("chagres.toml - what chagres ship ships, and where to");
        page.section("DESCRIPTION");
        page.text(ManPage.join(config.usageMessage().description()));
        page.section("KEYS");
        keys(page, ship);
        page.section("FILES");
        page.entry("/etc/chagres/chagres.toml, /etc/chagres/conf.d/*.toml", "What chagres.service reads.");
        page.entry("/etc/chagres/NAME.toml, /etc/chagres/NAME.conf.d/*.toml", "What chagres@NAME.service reads.");
        page.section("EXAMPLE");
        page.literal(EXAMPLE);
        page.section("SEE ALSO");
        page.text("chagres-ship(1), chagres-config(1), chagres-reload(1), chagres-doctor(1)");
        return page.toString();
    }

    private static void keys(ManPage page, CommandSpec ship) {
        Map<String, ConfigKeys.Entry> keys = ConfigKeys.all().stream()
                .collect(
                        Collectors.toMap(ConfigKeys.Entry::key, each -> each, (one, other) -> one, LinkedHashMap::new));
        ConfigKeys.Entry paths = keys.remove("paths");
        for (OptionGroups.Group group : OptionGroups.of(ship)) {
            if (group.options().stream().noneMatch(option -> keys.containsKey(key(option)))) {
                continue;
            }
            page.subsection(group.heading());
            if (paths != null) {
                entry(page, paths, "Files, directories (everything below them) and globs.");
                paths = null;
            }
            for (OptionSpec option : group.options()) {
                ConfigKeys.Entry key = keys.get(key(option));
                if (key != null) {
                    entry(page, key, HelpModel.description(option));
                }
            }
        }
    }

    private static String key(OptionSpec option) {
        return option.longestName().substring(2);
    }

    private static void entry(ManPage page, ConfigKeys.Entry key, String description) {
        page.entry(
                key.key(),
                description + " Holds " + key.wanted() + "."
                        + (key.isOfSources() ? " Each [[source]] may have its own." : "")
                        + (key.isReread() ? " Changes with a reload." : ""));
    }
}
