package io.chagres.archive.restore;

import io.chagres.archive.LogRecord;

/** A part of a file that is to be written. */
record RestoredPart(RestoredFile file, LogRecord.Extent extent) {}
