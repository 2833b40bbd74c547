/** Keeps archives in Google Cloud Storage. */
@NullMarked
package io.chagres.stores.gcs;

import org.jspecify.annotations.NullMarked;
