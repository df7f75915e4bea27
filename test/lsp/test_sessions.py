"""Sessions of Neovim and of Emacs with eglot, as record.py wrote them: what they said is said again, and the server answers the same.

A line is `> MESSAGE` of the editor or `< MESSAGE` of the server. BLESS=1 writes the answers of now; read the difference.
"""
import json
import os
import pathlib
import unittest

from lsp.editor import frame, talk

SESSIONS = pathlib.Path(__file__).with_name("sessions")


def steady(message):
    """Without what is another thing on another machine: the version, and where pages about errors are."""
    if isinstance(message, list):
        return [steady(m) for m in message]
    if not isinstance(message, dict):
        return message
    return {k: steady(v) for k, v in message.items() if k not in ("serverInfo", "codeDescription")}


class Sessions(unittest.TestCase):
    def test_all(self):
        paths = sorted(SESSIONS.glob("*.session"))
        self.assertGreater(len(paths), 1)
        for path in paths:
            with self.subTest(path.name):
                lines = path.read_text(encoding="utf-8").splitlines()
                sent = [json.loads(x[2:]) for x in lines if x.startswith("> ")]
                want = [steady(json.loads(x[2:])) for x in lines if x.startswith("< ")]
                status, got = talk(b"".join(map(frame, sent)))
                got = steady(got)
                if os.environ.get("BLESS"):
                    path.write_text("".join(f"> {json.dumps(m, ensure_ascii=False)}\n" for m in sent) +
                                    "".join(f"< {json.dumps(m, ensure_ascii=False)}\n" for m in got), encoding="utf-8")
                    continue
                self.assertEqual(status, 0)
                self.assertGreater(len(want), 3)
                self.assertEqual(got, want)


if __name__ == "__main__":
    unittest.main()
