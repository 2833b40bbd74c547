/** Keeps archives in S3 and in stores that speak its protocol. */
@NullMarked
package io.chagres.stores.s3;

import org.jspecify.annotations.NullMarked;
