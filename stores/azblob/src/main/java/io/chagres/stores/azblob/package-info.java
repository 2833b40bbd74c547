/** Keeps archives in Azure Blob Storage. */
@NullMarked
package io.chagres.stores.azblob;

import org.jspecify.annotations.NullMarked;
