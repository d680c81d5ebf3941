"""Puts the files of the page and the API's description into the program, as Swift strings.

`embed_page.py` writes Sources/PushAdmin/PageFiles.swift; `embed_page.py --check` only says whether it
is up to date.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Sources/PushAdmin/Page"
DESCRIPTION = ROOT / "docs/openapi.json"
TARGET = ROOT / "Sources/PushAdmin/PageFiles.swift"

HEAD = """\
// Made by scripts/lib/embed_page.py from Page/ and docs/openapi.json: change those, then run it.
// swift-format-ignore-file

enum PageFiles {
  /// The files of Page/ by name.
  static let all: [(name: String, text: String)] = [
%s
  ]
"""


def literal(path):
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n"), f"{path}: ends without a new line"
    fence = "#"
    while f'"""{fence}' in text or f"\\{fence}(" in text:
        fence += "#"
    return f'{fence}"""\n{text}\n"""{fence}'


def name_of(path):
    return path.name.replace(".", "_").replace("-", "_")


def made():
    files = sorted(PAGE.iterdir())
    rows = [f'    ("{path.name}", {name_of(path)}),' for path in files]
    parts = [HEAD % "\n".join(rows)]
    for path in [*files, DESCRIPTION]:
        parts.append(f"\n  static let {name_of(path)} = {literal(path)}\n")
    return "".join(parts) + "}\n"


def main():
    text = made()
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != text:
        print(f"{TARGET.relative_to(ROOT)}: not up to date; run scripts/lib/embed_page.py")
        return 1
    return 0


sys.exit(main())
