package io.chagres.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Marks tests that are scenarios of others once more, elsewhere: against another store, with another tool; and long
 * sections of the benchmark in small. Of several each check runs one, by turns, as {@link Share} says;
 * {@code -Dshare=0/1}, and asking for a test by its name, run all.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(Turn.Condition.class)
public @interface Turn {
    /** Returns which of them it is, from 0 on. */
    int value();

    /** Returns how many there are. */
    int of();

    /** Asks whose turn it is. */
    final class Condition implements ExecutionCondition {
        private static final boolean ALL = Boolean.getBoolean("share.all");

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return AnnotationSupport.findAnnotation(context.getElement(), Turn.class)
                    .filter(turn -> !ALL && !Share.takes(turn.value(), turn.of()))
                    .map(turn -> ConditionEvaluationResult.disabled("skipped: another share has it"))
                    .orElseGet(() -> ConditionEvaluationResult.enabled(""));
        }
    }
}
