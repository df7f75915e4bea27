#!/usr/bin/python3
"""Stands between an editor and `tenon lsp`, and writes what they say as a session of test_sessions.py.

    SESSION=test/lsp/sessions/NAME.session SERVER=build/dev/tenon PYTHONPATH=test TENON=test/lsp/record.py \\
        python3 test/lsp/sweep_editors.py Editors.test_neovim

What differs from one machine or day to the next is replaced: folders, and the number of the process.
"""
import json
import os
import re
import subprocess
import sys
import threading

FOLDER = re.compile(r"file:///[^\"]*/(?=[^\"/]*\")|(?<=\")/tmp/[^\"]*(?=\")")


def messages(stream):
    """Each message as it comes, with its frame."""
    while head := stream.readline():
        n, lines = 0, head
        while head.strip():
            if head.lower().startswith(b"content-length:"):
                n = int(head.split(b":")[1])
            head = stream.readline()
            lines += head
        body = stream.read(n)
        yield lines + body, json.loads(body)


def same_everywhere(message):
    if message.get("method") == "initialize":
        for key in ("processId", "rootPath", "rootUri", "workspaceFolders", "clientInfo"):
            message["params"].pop(key, None)
    return FOLDER.sub(lambda m: "file:///" if m[0].startswith("file") else "/", json.dumps(message, ensure_ascii=False))


def main():
    server = subprocess.Popen([os.environ["SERVER"], *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lock = threading.Lock()
    with open(os.environ["SESSION"], "w", encoding="utf-8") as out:
        def pass_on(source, to, mark):
            for data, message in messages(source):
                with lock:
                    out.write(f"{mark} {same_everywhere(message)}\n")
                    out.flush()
                to.write(data)
                to.flush()
        there = threading.Thread(target=pass_on, args=(sys.stdin.buffer, server.stdin, ">"), daemon=True)
        there.start()
        pass_on(server.stdout, sys.stdout.buffer, "<")
    return server.wait()


if __name__ == "__main__":
    sys.exit(main())
