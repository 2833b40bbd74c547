package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Directory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RenamePairsTest {
    private final WatchedDirectory directory = new WatchedDirectory(null, new byte[] {'/'}, 1, Scope.ALL, true);
    private final RenamePairs pairs = new RenamePairs();
    private final List<Dentry> movedOut = new ArrayList<>();

    private Dentry half(int cookie, long readNumber, long sinceMs) {
        Dentry dentry = new Dentry(directory, new byte[] {(byte) ('a' + cookie)}, 2, Directory.DT_REG, true);
        pairs.add(new RenamePairs.Half(cookie, dentry, readNumber, sinceMs));
        return dentry;
    }

    @Test
    void cookieBringsTheHalvesTogetherOnce() {
        Dentry one = half(1, 1, 0);
        half(2, 1, 0);
        assertThat(pairs.take(1)).extracting(RenamePairs.Half::dentry).isSameAs(one);
        assertThat(pairs.take(1)).isNull();
        assertThat(pairs.isEmpty()).isFalse();
    }

    @Test
    void halfOutlivesItsReadAndTheNextEmptyOnesButNotTheNextFullOne() {
        Dentry one = half(1, 7, 0);
        pairs.expireReadsBefore(7, each -> movedOut.add(each.dentry()));
        assertThat(movedOut).isEmpty();
        Dentry two = half(2, 8, 0);
        pairs.expireReadsBefore(8, each -> movedOut.add(each.dentry()));
        assertThat(movedOut).containsExactly(one);
        pairs.expireReadsBefore(9, each -> movedOut.add(each.dentry()));
        assertThat(movedOut).containsExactly(one, two);
        assertThat(pairs.isEmpty()).isTrue();
    }

    @Test
    void timeEndsTheWaitAlsoWhenTheClockIsSetBack() {
        Dentry one = half(1, 1, 100);
        Dentry two = half(2, 1, 150);
        pairs.expireSince(99, 119, each -> movedOut.add(each.dentry()));
        assertThat(movedOut).isEmpty();
        pairs.expireSince(100, 160, each -> movedOut.add(each.dentry()));
        assertThat(movedOut).containsExactly(one);
        pairs.expireSince(0, 20, each -> movedOut.add(each.dentry()));
        assertThat(movedOut).containsExactly(one, two);
    }

    @Test
    void oldNameIsHeldAndContested() {
        Dentry one = half(1, 1, 0);
        assertThat(pairs.contest(directory, new byte[] {'x'})).isFalse();
        assertThat(pairs.contest(directory, one.nameBytes())).isTrue();
        RenamePairs.Half taken = pairs.take(directory, one.nameBytes());
        assertThat(taken).extracting(RenamePairs.Half::isContested).isEqualTo(true);
        assertThat(pairs.contest(directory, one.nameBytes())).isFalse();
    }
}
