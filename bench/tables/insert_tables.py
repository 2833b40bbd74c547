#!/usr/bin/env python3
"""insert_tables.py DOCUMENT RESULTS: puts RESULTS/NAME.md between the lines <!-- begin NAME --> and <!-- end NAME -->."""
import pathlib
import re
import sys


def main():
    document, results = map(pathlib.Path, sys.argv[1:])

    def replaced(found):
        table = results / f"{found[1]}.md"
        return f"<!-- begin {found[1]} -->\n{table.read_text()}<!-- end {found[1]} -->" if table.exists() else found[0]

    text = re.sub(r"<!-- begin (\w+) -->\n.*?<!-- end \1 -->", replaced, document.read_text(), flags=re.S)
    document.write_text(text)


main()
