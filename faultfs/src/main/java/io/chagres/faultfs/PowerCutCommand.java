package io.chagres.faultfs;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code chagres-faultfs power-cut}. */
@Command(
        name = "power-cut",
        header = "Undoes what was not synced, and shows what survived.",
        description = "Returns when the mount is there again. Programs with open files on it get errors.")
final class PowerCutCommand implements Callable<Integer> {
    @Mixin
    ControlOptions control = new ControlOptions();

    @Override
    public Integer call() throws IOException {
        control.order("power-cut");
        return 0;
    }
}
