package io.chagres.cli.command;

import io.chagres.archive.read.Address;
import io.chagres.archive.read.Shard;
import io.chagres.cli.text.ByteRange;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.TimeExpression;
import io.chagres.cli.text.TimedRate;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import picocli.CommandLine;

/** How the texts of options become values. */
public final class Converters {
    private Converters() {}

    /** Teaches a command line, and the subcommands that it has already, all types that options have. */
    public static void register(CommandLine line, CommandContext context) {
        line.registerConverter(Duration.class, converter(Durations::parse));
        line.registerConverter(ByteSize.class, converter(ByteSize::parse));
        line.registerConverter(TimedRate.class, converter(TimedRate::parse));
        line.registerConverter(ByteRange.class, converter(ByteRange::parse));
        line.registerConverter(Address.class, converter(Address::parse));
        line.registerConverter(Shard.class, converter(Shard::parse));
        line.registerConverter(Instant.class, converter(text -> new TimeExpression(
                        context.clock(), context.zone().get())
                .parse(text)));
        line.setCaseInsensitiveEnumValuesAllowed(true);
    }

    private static <T> CommandLine.ITypeConverter<T> converter(Function<String, T> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException e) {
                throw new CommandLine.TypeConversionException(e.getMessage());
            }
        };
    }
}
