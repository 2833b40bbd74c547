/**
 * The cost of a call: JMH benchmarks of the call layer against named rivals in the same run, and small programs for
 * what JMH does not measure. The scripts in {@code bench/sections} run them; {@code docs/benchmarks} shows the
 * results.
 */
package io.chagres.bench;
