#!/usr/bin/env python3
"""Runs the commands of the README's section "One minute" in a terminal and draws what stands there then.

    docs/record_session.py        writes docs/session.svg; needs ./chagres built

The picture is of a real run: change the README, not the picture.
"""
import fcntl
import html
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 100
PROMPT = "$ "
QUIET_S = 4  # after a command that stays, this long without a word is its end
CELL_W, CELL_H, PAD = 8.4, 18, 16


def commands():
    """The commands of the section, in order; what is not behind a prompt is their output."""
    text = (ROOT / "README.md").read_text()
    section = text.split("\n## One minute\n", 1)[1].split("\n## ", 1)[0]
    for block in re.findall(r"```console\n(.*?)```", section, re.S):
        yield from (line[2:] for line in block.splitlines() if line.startswith(PROMPT))


def record():
    """Types the commands into a shell and returns the screen as lines."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 50, 200, 0, 0))  # the shell scrolls no command
    environment = {**os.environ, "PS1": PROMPT, "TERM": "dumb"}
    shell = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], cwd=ROOT, env=environment,
                             stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    screen = ""

    def read(seconds):
        nonlocal screen
        if not select.select([master], [], [], seconds)[0]:
            return False
        screen += os.read(master, 65536).decode(errors="replace")
        return True

    def until_prompt(seconds):
        end = time.monotonic() + seconds
        while not screen.endswith(PROMPT) and time.monotonic() < end:
            read(0.2)

    until_prompt(20)
    for command in commands():
        os.write(master, command.encode() + b"\n")
        read(5)
        until_prompt(60)
        if command.endswith("&"):
            while read(QUIET_S):
                pass
            os.write(master, b"\n")  # as a person does who wants to see the prompt again
            until_prompt(5)
    read(QUIET_S)
    os.write(master, b"exit\n")
    shell.wait(20)
    os.close(master)
    screen = re.sub(r"\x1b\[\?7[lh]", "", screen.replace("\r\n", "\n"))
    screen = re.sub(r"[^\n]*\r\x1b\[K", "", screen)  # a line of progress that was written over
    return [line.rstrip() for line in screen.split("\n")]


def wrapped(lines):
    for line in lines:
        while len(line) > COLUMNS:
            yield line[:COLUMNS]
            line = line[COLUMNS:]
        yield line


def picture(lines):
    while lines and lines[-1] in ("", "$", "exit"):
        lines.pop()
    width, height = COLUMNS * CELL_W + 2 * PAD, len(lines) * CELL_H + 2 * PAD
    rows, said = [], set(commands())
    for i, line in enumerate(lines):
        typed = ' class="typed"' if line.removeprefix(PROMPT) in said else ""
        rows.append(f'<text x="{PAD}" y="{PAD + CELL_H * (i + 0.75):.1f}"{typed}>{html.escape(line)}</text>')
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}">',
        "<title>One minute with Chagres: ship, lose the files, read them back</title>",
        "<style>text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#d5dbe1;white-space:pre}"
        ".typed{fill:#fff;font-weight:600}</style>",
        f'<rect width="100%" height="100%" rx="8" fill="#1b2129"/>', *rows, "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    (ROOT / "docs" / "session.svg").write_text(picture(list(wrapped(record()))))
