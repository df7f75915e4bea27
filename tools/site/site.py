"""Makes the site of the documents: site.py OUT

One folder of plain HTML, which needs no network and no script to be read: the pages that docs/index.md lists, in its
sections, those that they lead to, and a reference of the public headers. Links to other files of the project bring the
file along. Needs python3-markdown.
"""
import html
import pathlib
import re
import shutil
import sys

import markdown

import header

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DOCS = ROOT / "docs"
HEADERS = sorted(path.name for path in (ROOT / "include/tenon").iterdir())
LINK = re.compile(r'(<(?:a|img)[^>]* (?:href|src)=")([^"]+)(")')
MARK = re.compile(r"^<!--.*?-->\n", re.M | re.S)
APART = "<!-- -->\n"  # in place of a mark, so that blocks before and behind it stay two


def slug(heading, _separator="-"):
    """The anchor of a heading, as the pages' own links spell it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def place(path):
    """Where the file PATH of the project stands in the site: pages of docs/ at the top, others in folders."""
    inside = path.relative_to(DOCS) if path.is_relative_to(DOCS) else "project" / path.relative_to(ROOT)
    return str(inside.with_suffix(".html") if path.suffix == ".md" else inside)


def relative(start, to):
    """The link from the page START to the page TO, both as in place()."""
    return "../" * start.count("/") + to


class Site:
    def __init__(self, out):
        self.out = pathlib.Path(out)
        self.api = {}  # name -> page#anchor
        self.titles = {}
        self.version = re.search(r"project\(tenon VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.frame = (HERE / "page.html").read_text(encoding="utf-8")
        self.sections = []  # (title, [(text, page)])
        self.done = set()
        self.faults = []

    def read_index(self):
        for part in re.split(r"(?m)^## ", (DOCS / "index.md").read_text(encoding="utf-8"))[1:]:
            title, _, rest = part.partition("\n")
            links = re.findall(r"(?m)^- \[(.*?)\]\((.*?)\)", rest)
            self.sections.append((title, [(text.replace("`", ""), place((DOCS / to).resolve())) for text, to in links]))
        reference = next(links for title, links in self.sections if title == "Reference")
        at = next(i for i, (_, page) in enumerate(reference) if page == "api.html") + 1
        reference[at:at] = [(f"tenon/{name}", f"api/{name}.html") for name in HEADERS]

    def navigation(self, page):
        out = []
        for title, links in self.sections:
            rows = "".join(f'<li><a{" class=here" if to == page else ""} href="{relative(page, to)}">'
                           f"{html.escape(text)}</a></li>\n" for text, to in links)
            out.append(f"<h2>{html.escape(title)}</h2>\n<ul>\n{rows}</ul>")
        return "\n".join(out)

    def write(self, page, title, body):
        path = self.out / page
        path.parent.mkdir(parents=True, exist_ok=True)
        values = {"title": html.escape(title), "top": "../" * page.count("/"), "version": self.version,
                  "navigation": self.navigation(page), "body": body}
        path.write_text(re.sub(r"\{(\w+)\}", lambda m: values[m[1]], self.frame), encoding="utf-8")

    def write_headers(self):
        bodies = {}
        for name in HEADERS:
            body, names = header.page(f"tenon/{name}", (ROOT / "include/tenon" / name).read_text(encoding="utf-8"))
            bodies[name] = body
            for n in names:
                self.api.setdefault(n, f"api/{name}.html#{n}")
        for name, body in bodies.items():
            page = f"api/{name}.html"
            self.write(page, f"tenon/{name}", re.sub(
                r"(<p>|<dd>|<dt>)(.*?)(</p>|</dd>|</dt>)", lambda m: m[1] + self.name_links(page, m[2]) + m[3], body,
                flags=re.S))

    def name_links(self, page, text):
        """Names of the interface in TEXT, as links to where they are declared."""
        return re.sub(r"\b(?:tn|TN)_\w+", lambda m: f'<a href="{relative(page, self.api[m[0]])}">{m[0]}</a>'
                      if m[0] in self.api else m[0], text)

    def link(self, path, page, target):
        """What a link from the file PATH to TARGET is in the site; pages and files that it leads to come along."""
        file, _, anchor = target.partition("#")
        if "://" in target or not file:
            return target
        to = (path.parent / file).resolve()
        if to.is_dir():
            to = next((to / n for n in ("index.md", "README.md") if (to / n).exists()), to)
        if not to.is_file():
            self.faults.append(f"{path.relative_to(ROOT)}: {target}")
            return target
        if to.suffix == ".md":
            self.add(to)
        elif place(to) not in self.done:
            self.done.add(place(to))
            (self.out / place(to)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(to, self.out / place(to))
        return relative(page, place(to)) + (f"#{anchor}" if anchor else "")

    def add(self, path):
        """The page for the file PATH, and those that it leads to."""
        page = place(path)
        if page in self.done:
            return
        self.done.add(page)
        text = MARK.sub(APART, path.read_text(encoding="utf-8"))
        made = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists"],
                                 extension_configs={"toc": {"slugify": slug}})
        body = made.convert(text).replace(APART, "")
        body = LINK.sub(lambda m: m[1] + self.link(path, page, html.unescape(m[2])) + m[3], body)
        body = re.sub(r"<code>((?:tn|TN)_\w+)</code>", lambda m: f"<code>{self.name_links(page, m[1])}</code>", body)
        title = re.search(r"(?m)^# (.*)$", text)
        self.write(page, title[1].replace("`", "") if title else page, body)

    def make(self):
        self.read_index()
        self.out.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HERE / "style.css", self.out / "style.css")
        self.write_headers()
        self.add(DOCS / "index.md")
        return self.faults


def main():
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    faults = Site(sys.argv[1]).make()
    for fault in faults:
        print("there is no", fault, file=sys.stderr)
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main())
