"""What a malformed file is, and how rules make one from a valid one: they know what they broke, and where."""
import dataclasses


@dataclasses.dataclass
class Wrong:
    """A file with a known fault, and what must be said of it first."""
    rule: str            # what was done to the valid file
    name: str            # of the file; its extension says how it is read
    data: bytes
    kind: str            # the kind of the first error; where the rule leaves it open, several with | between them
    place: tuple = None  # its line and column; None: it has none, or the rule does not know
    noted: tuple = None  # where its first note is
    byte: int = None     # its message names this byte
    has: str = None      # its message has this
    node: str = None     # it is about this node
    status: int = 1
    faults: int = None   # how many errors there are; None: the rule does not know
    command: tuple = ("check", "{file}")
    more: dict = None    # other files that the command needs: name to bytes


def place_of(text, at):
    """Line and column of the character at AT; columns count code points, and a line ends with LF."""
    before = text[:at]
    return before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1


def text_file(rule, name, text, at, kind, **more):
    """A fault at AT in TEXT; None: nowhere."""
    return Wrong(rule, name, text.encode(), kind, None if at is None else place_of(text, at), **more)


def spliced(text, start, end, new):
    return text[:start] + new + text[end:]


def cut_bytes(rule, name, text, at, raw, kind, offset=0, **more):
    """RAW bytes put in at AT: the fault is at the one with OFFSET."""
    data = text[:at].encode() + raw + text[at:].encode()
    line, column = place_of(text, at)
    return Wrong(rule, name, data, kind, (line, column + offset), **more)
