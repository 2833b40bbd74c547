package io.chagres.cli.command;

import io.chagres.linux.Pathname;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
        Pathname named = state(arguments);
        return named == null || named.equals(stateDirectory.name()) || NAMELESS.contains(named);
    }

    /** Says whether its arguments name a state directory of that name. */
    public static boolean names(Pathname stateDirectory, List<String> arguments) {
        return stateDirectory.name().equals(state(arguments));
    }

    private static @Nullable Pathname state(List<String> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.startsWith(STATE + "=")) {
                return Pathname.of(argument.substring(STATE.length() + 1)).name();
            }
            if (argument.equals(STATE) && i + 1 < arguments.size()) {
                return Pathname.of(arguments.get(i + 1)).name();
            }
        }
        return null;
    }
}
