package io.chagres.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Test;

class ErrnoTest {
    @Test
    void everyConstantHasItsNameAndAMessage() throws IllegalAccessException {
        int constants = 0;
        for (Field field : Errno.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && !field.getName().equals("EWOULDBLOCK")) {
                int errno = field.getInt(null);
                assertThat(Errno.name(errno)).isEqualTo(field.getName());
                assertThat(Errno.message(errno)).isNotEmpty().isNotEqualTo("Unknown error");
                constants++;
            }
        }
        assertThat(constants).isGreaterThan(125);
    }

    @Test
    void numbersAreThoseOfLinux() {
        assertThat(Errno.ENOENT).isEqualTo(2);
        assertThat(Errno.EAGAIN).isEqualTo(11).isEqualTo(Errno.EWOULDBLOCK);
        assertThat(Errno.ELOOP).isEqualTo(40);
        assertThat(Errno.EOPNOTSUPP).isEqualTo(95);
        assertThat(Errno.ESTALE).isEqualTo(116);
    }

    @Test
    void numbersLinuxDoesNotUseAreSaidAsNumbers() {
        assertThat(Errno.name(0)).isEqualTo("errno 0");
        assertThat(Errno.name(41)).isEqualTo("errno 41");
        assertThat(Errno.name(4095)).isEqualTo("errno 4095");
        assertThat(Errno.message(-3)).isEqualTo("Unknown error");
    }

    @Test
    void exceptionNamesCallSubjectAndCause() {
        ErrnoException failed = new ErrnoException("open", Errno.ENOENT, "/x/y");
        assertThat(failed).hasMessage("open /x/y: No such file or directory (ENOENT)");
        assertThat(failed.call()).isEqualTo("open");
        assertThat(failed.errno()).isEqualTo(2);
        assertThat(failed.subject()).isEqualTo("/x/y");
        assertThat(new ErrnoException("epoll_create1", Errno.EMFILE, ""))
                .hasMessage("epoll_create1: Too many open files (EMFILE)");
    }
}
