#!/usr/bin/env python3
"""take_documents.py REPOSITORY DIR: copies the documents of a repository to DIR, at their paths, with the files they link to.

Results of benchmarks, templates of issues and documents in other folders of tests stay out: they are no pages of the site.
"""
import os
import pathlib
import re
import shutil
import sys

LEFT_OUT = re.compile(r"bench/results/|.*/src/")
FOLDERS_LEFT_OUT = {"target", ".git", ".github"}
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.S | re.M)


def main():
    repository, target = map(pathlib.Path, sys.argv[1:])
    documents = []
    for folder, below, files in os.walk(repository):
        below[:] = [name for name in below if name not in FOLDERS_LEFT_OUT]
        names = [os.path.relpath(os.path.join(folder, name), repository) for name in files if name.endswith(".md")]
        documents += [name for name in names if not LEFT_OUT.match(name)]
    wanted = set(documents)
    for name in documents:
        text = CODE.sub("", (repository / name).read_text())
        for link in LINK.findall(text):
            path = (repository / name).parent.joinpath(link).resolve()
            if not re.match(r"[a-z]+:", link) and path.is_file():
                wanted.add(str(path.relative_to(repository.resolve())))
    for name in sorted(wanted):
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(repository / name, copy)


main()
