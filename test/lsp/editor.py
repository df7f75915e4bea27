"""An editor of the language server, as far as tests need one."""
import json
import subprocess

from lib.program import HANG, TENON


def frame(body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


def talk(data, said=b""):
    """Give the server the bytes DATA and the end of input: the exit status, and the messages that it sent. It says SAID to users."""
    done = subprocess.run([TENON, "lsp"], input=data, capture_output=True, timeout=HANG)
    if said not in done.stderr if said else done.stderr:
        raise AssertionError(done.stderr)
    return done.returncode, messages(done.stdout)


def messages(data):
    out = []
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        n = int(head.removeprefix(b"Content-Length: "))
        out.append(json.loads(rest[:n]))
        data = rest[n:]
    return out


def request(number, method, **parameters):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}


def notification(method, **parameters):
    return {"jsonrpc": "2.0", "method": method, "params": parameters}


def initialize(*encodings):
    return request(0, "initialize", processId=None, capabilities={"general": {"positionEncodings": list(encodings)}})


def opened(uri, language, text, version=1):
    return notification("textDocument/didOpen",
                        textDocument={"uri": uri, "languageId": language, "version": version, "text": text})


END = [request("end", "shutdown"), notification("exit")]


def session(*sent):
    """What the server answers to SENT between `initialize` and `exit`, which are added, without their answers."""
    status, got = talk(b"".join(frame(m) for m in [initialize("utf-8"), *sent, *END]))
    assert status == 0, status
    return got[1:-1]
