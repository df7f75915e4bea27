"""Commands run by test/serve.c, which does not start the program for each."""
import multiprocessing.util
import os
import subprocess

from lib.program import Failure

servers = []  # of this process, started when first needed


def serve(program, folder, arguments, stdin=None):
    """(status, output, errors) of a command, run by PROGRAM; its output goes through files in FOLDER."""
    if not servers:
        servers.append(subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        multiprocessing.util.Finalize(None, servers[0].communicate, exitpriority=1)
    server = servers[0]
    given, out, err = "/dev/null", folder / "stdout", folder / "stderr"
    if stdin is not None:
        given = folder / "stdin"
        given.write_bytes(stdin)
    strings = [os.fsencode(str(s)) + b"\0" for s in (given, out, err, *arguments)]
    server.stdin.write(b"%d\n%s" % (len(strings), b"".join(strings)))
    server.stdin.flush()
    answer = server.stdout.readline()
    if not answer:
        raise Failure(f"{program} ended")
    return int(answer), out.read_bytes(), err.read_bytes()
