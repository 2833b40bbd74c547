/** Reads the configuration file. */
@NullMarked
package io.chagres.cli.config;

import org.jspecify.annotations.NullMarked;
