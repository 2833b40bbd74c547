package io.chagres.cli.command;

import io.chagres.linux.Pathname;
import java.util.List;

/** Knows a process that ships by its arguments. Stateless. */
public final class ShipProcess {
    /** How the program names its main class to the JVM. */
    private static final String MAIN = "io.chagres.cli/io.chagres.cli.Main";

    private static final String STATE = "--state";

    /** Such a directory has another name in its parent. */
    private static final List<Pathname> NAMELESS = List.of(Pathname.of("."), Pathname.of(".."));

    private ShipProcess() {}

    /** Says whether a process is a ship. */
    public static boolean isShip(List<String> arguments) {
        int main = arguments.indexOf(MAIN);
        return main >= 0
                && main + 1 < arguments.size()
                && arguments.get(main + 1).equals("ship");
    }

    /**
     * Says whether its arguments leave it possible that a ship uses a state directory: they name none, or one of that
     * name. Where a relative path or a link leads in another process is not asked.
     */
    public static boolean mayUse(Pathname stateDirectory, List<String> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.startsWith(STATE + "=")) {
                return mayBe(stateDirectory, argument.substring(STATE.length() + 1));
            }
            if (argument.equals(STATE) && i + 1 < arguments.size()) {
                return mayBe(stateDirectory, arguments.get(i + 1));
            }
        }
        return true;
    }

    private static boolean mayBe(Pathname directory, String text) {
        Pathname name = Pathname.of(text).name();
        return name.equals(directory.name()) || NAMELESS.contains(name);
    }
}
