/** What signatures prove: manifests of checkpoints, the commits behind them, and a store that gives nothing else. */
@NullMarked
package io.chagres.archive.prove;

import org.jspecify.annotations.NullMarked;
