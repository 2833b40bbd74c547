/** Serves metrics, health and a page of a running ship over HTTP. */
@NullMarked
package io.chagres.cli.http;

import org.jspecify.annotations.NullMarked;
