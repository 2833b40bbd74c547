# Catching up with compression, and zstd -1 on the same file.

section_zstd() {
    side_by_side zstd zstd --codec zstd --level 1
    side_by_side_table zstd zstd '`zstd -1`' '`chagres ship --once --codec zstd --level 1`' 0.75 | table zstd
}
