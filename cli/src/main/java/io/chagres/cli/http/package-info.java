/** What a running ship tells over HTTP: metrics, health and a page. */
@NullMarked
package io.chagres.cli.http;

import org.jspecify.annotations.NullMarked;
