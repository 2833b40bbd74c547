"""What the benchmarks of the call layer are called in tables: in the order of their rows, ours last."""

# table: class of the benchmark, unit, what the columns hold (a parameter's name and its words), rows
TABLES = {
    "calls_trivial": ("CallCost", "ns", None, {
        "jnaDirect": "JNA, direct mapping",
        "jnrFfi": "jnr-ffi",
        "jni": "JNI",
        "ffmErrnoConfinedArena": "FFM, errno into a confined arena",
        "ffmErrnoFrame": "... without the arena: errno into a frame",
        "ffmErrnoKeptSegment": "... without the frame: errno into a kept segment",
        "ffm": "... without errno: FFM plain",
        "ffmCritical": "... without the transition: FFM critical",
        "oursPlain": "ours, `HotCall`",
        "oursPointer": "ours, `FunctionPointer`",
        "oursPointerCritical": "ours, `FunctionPointer`, critical",
        "oursCritical": "ours, `HotCall.critical`",
    }),
    "calls_callback": ("CallbackCost", "ns", None, {
        "jna": "JNA",
        "jnrFfi": "jnr-ffi",
        "jni": "JNI, CallStaticLongMethod",
        "ffm": "FFM upcall",
        "ours": "ours, `Callback` (guarded)",
        "jnaField": "a field: JNA",
        "jnrFfiField": "a field: jnr-ffi",
        "jniMethodField": "a field: JNI, CallLongMethod",
        "jniGetLongField": "a field: JNI, GetLongField, no Java runs",
        "ffmField": "a field: FFM upcall",
        "oursField": "a field: ours, `Callback` (guarded)",
    }),
    "calls_strlen": ("StringArgument", "ns", "bytes", {
        "jni": "JNI, GetStringUTFChars",
        "ffmConfinedArena": "FFM, confined arena",
        "oursFrame": "ours, frame",
        "oursFrameCritical": "ours, frame, critical",
        "oursHeapCritical": "ours, reused array, critical",
    }),
    "calls_struct": ("StructReturn", "ns", None, {
        "ffmConfinedArena": "FFM, confined arena",
        "oursFrame": "ours, frame as allocator",
        "oursKept": "ours, a kept segment",
        "oursKeptCritical": "ours, a kept segment, critical",
        "oursOutPointerCritical": "an out pointer instead, critical",
    }),
    "calls_string": ("StringResult", "ns", "bytes", {
        "ffmGetString": "`getString(0)`",
        "oursDecode": "ours, `CString.decode`",
        "oursDecodeExactly": "ours, length known",
        "ffmGetStringEquals": "`getString(0).equals`",
        "oursStringEquals": "ours, compared with a String",
        "oursEquals": "ours, compared with bytes",
    }),
    "calls_system": ("SystemCallCost", "ns", None, {
        f"{call}{way}": f"{call}: {words}"
        for call in ("getppid", "fstat", "pread")
        for way, words in {
            "FfmErrno": "libc + captureCallState",
            "C": "loop in C",
            "OursPlain": "ours, `HotCall`",
            "OursRaw": "ours, `SystemCall`, plain",
            "OursRawCritical": "ours, `SystemCall`, critical",
        }.items()
    }),
    "calls_compare": ("BlockCompare", "GB/s", "bytes", {
        "byteLoop": "loop over bytes",
        "wordLoop": "loop over words",
        "jdkMismatch": "`MemorySegment.mismatch`",
        "memcmp": "memcmp, FFM critical",
        "oursMismatch": "ours, `MemoryCompare`",
    }),
    "calls_copy": ("MemoryCopy", "GB/s", "bytes", {
        "arraycopy": "`System.arraycopy`",
        "memcpyCritical": "memcpy, FFM critical",
        "streamingCritical": "non-temporal stores, FFM critical",
    }),
    "calls_read": ("FileRead", "GB/s", "piece", {
        "fileInputStream": "FileInputStream",
        "newInputStream": "`Files.newInputStream`",
        "channelHeap": "FileChannel, heap buffer",
        "channelDirect": "FileChannel, direct buffer, copy",
        "channelTransferTo": "`FileChannel.transferTo`",
        "mapFirstAccess": "mapping, first access, copy",
        "mapRepeatedAccess": "mapping, repeated access, copy",
        "jniCriticalPread": "JNI critical, pread",
        "ffmCriticalPread": "FFM critical, pread (blocks safepoints when cold)",
        "C": "loop in C, pread",
        "oursPlainCopy": "ours, `Fd.pread`, copy",
        "oursHeapReader": "ours, `HeapReader`",
    }),
    "calls_identity": ("Identity", "ns", None, {
        "getAttribute": '`Files.getAttribute("unix:ino")`',
        "readAttributes": "`Files.readAttributes`",
        "oursStat": "ours, `Statx` of a path",
        "oursOpenFstat": "ours, open, `Statx`, close",
        "oursFstat": "ours, `Statx` of an open file",
        "oursHandle": "ours, `FileHandle` of an open file",
    }),
    "calls_cold": ("IdentityCold", "ns", None, {
        "getAttribute": '`Files.getAttribute("unix:ino")`',
        "readAttributes": "`Files.readAttributes`",
        "oursStat": "ours, `Statx` of a path",
        "oursOpenFstat": "ours, open, `Statx`, close",
        "oursOpenHandle": "ours, open, `FileHandle`, close",
    }),
    "calls_attach": ("StackAttachment", "ns", None, {
        "parameter": "parameter",
        "threadLocal": "ThreadLocal that owns a stack",
        "scopedValue": "ScopedValue, bound long ago",
        "scopedValueBound": "ScopedValue, bound for the call",
        "poolOfStacks": "pool of stacks, one compare-and-set",
        "oursOfThread": "ours, `MemoryStack.ofThread()`: ThreadLocal, memory from a pool",
    }),
}

# table: rows of targets: words, the value divided, by what, bound, "most" or "least".
# A value is method or method@column; C is the loop in C.
TARGETS = {
    "calls_trivial": [
        ("plain <= 1.1x FFM", "oursPlain", "ffm", 1.1, "most"),
        ("critical <= 0.35x JNI", "oursCritical", "jni", 0.35, "most"),
    ],
    "calls_callback": [
        ("callback <= 0.5x JNI", "ours", "jni", 0.5, "most"),
        ("the same that reads a field", "oursField", "jniMethodField", 0.5, "most"),
        ("the guard, against bare FFM, for information", "ours", "ffm", None, "most"),
    ],
    "calls_strlen": [
        (f"strlen of {n} bytes <= 0.2x the confined arena", f"oursHeapCritical@{n}", f"ffmConfinedArena@{n}", 0.2, "most")
        for n in (10, 100, 1000)
    ],
    "calls_struct": [
        ("struct by value <= 0.3x the confined arena", "oursKeptCritical", "ffmConfinedArena", 0.3, "most"),
    ],
    "calls_string": [
        ("String of 100 bytes <= 0.65x `getString(0)`", "oursDecode@100", "ffmGetString@100", 0.65, "most"),
        ("compare in place <= 0.2x `getString(0)`", "oursEquals@100", "ffmGetString@100", 0.2, "most"),
    ],
    "calls_system": [
        target
        for call in ("getppid", "fstat", "pread")
        for target in (
            (f"{call} <= 0.87x libc + captureCallState", f"{call}OursRaw", f"{call}FfmErrno", 0.87, "most"),
            (f"{call} <= 1.05x the loop in C", f"{call}OursRaw", f"{call}C", 1.05, "most"),
        )
    ],
    "calls_compare": [
        target
        for side in ("aligned", "misaligned")
        for size, times in (("4 KiB", 3), ("128 KiB", 3), ("4 MiB", 1))
        for target in (
            (f"{size} {side} >= {times}x `mismatch`", f"oursMismatch@{size} {side}", f"jdkMismatch@{size} {side}",
             times, "least"),
            (f"{size} {side} >= 0.95x memcmp", f"oursMismatch@{size} {side}", f"memcmp@{size} {side}", 0.95, "least"),
        )
    ],
    "calls_read": [
        target
        for size in ("8 KiB", "128 KiB")
        for target in (
            (f"{size} >= 1.2x FileInputStream", f"oursHeapReader@{size}", f"fileInputStream@{size}", 1.2, "least"),
            (f"{size}: CPU <= 0.85x FileInputStream", f"oursHeapReader@{size} CPU", f"fileInputStream@{size} CPU",
             0.85, "most"),
            (f"{size} >= 1.0x the loop in C", f"oursHeapReader@{size}", f"C@{size}", 1.0, "least"),
        )
    ],
    "calls_identity": [
        ("open file: <= 0.5x `readAttributes`", "oursFstat", "readAttributes", 0.5, "most"),
        ("path: <= 0.5x `readAttributes`", "oursStat", "readAttributes", 0.5, "most"),
    ],
    "calls_cold": [
        ("cold path, <= 1x `readAttributes`: the disk decides", "oursStat", "readAttributes", None, "most"),
    ],
}
