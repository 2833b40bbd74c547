#!/usr/bin/env python3
"""insert_tables.py FOLDER RESULTS: puts RESULTS/NAME.md between the lines <!-- begin NAME --> and <!-- end NAME --> of
the documents in FOLDER."""
import os
import pathlib
import re
import sys


def main():
    folder, results = map(pathlib.Path, sys.argv[1:])

    pictures = os.path.relpath(results, folder)

    def replaced(found):
        table = results / f"{found[1]}.md"
        if not table.exists():
            return found[0]
        text = re.sub(r"\]\((?:[^)]*/)?([^)/]+[.]svg)\)", rf"]({pictures}/\1)", table.read_text())
        return f"<!-- begin {found[1]} -->\n{text}<!-- end {found[1]} -->"

    for document in sorted(folder.glob("*.md")):
        old = document.read_text()
        new = re.sub(r"<!-- begin (\w+) -->\n.*?<!-- end \1 -->", replaced, old, flags=re.S)
        if new != old:
            document.write_text(new)


main()
