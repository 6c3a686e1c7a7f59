# SPDX-License-Identifier: Apache-2.0
"""Checks that each link of a page leads to a file, and each anchor to a heading. Addresses on the web are not looked up."""

import sys
from pathlib import Path

import pages


def broken_links(page: Path) -> list[str]:
    """Returns a line for each link of `page` that leads nowhere."""
    wrong = []
    for line, target in pages.links_of(page.read_text(encoding="utf-8")):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        where = f"{page.relative_to(pages.SOURCES)}:{line}: {target}"
        if not file.exists():
            wrong.append(f"{where}: there is no such file")
        elif anchor and file.suffix == ".md" and anchor not in pages.anchors_of(file.read_text(encoding="utf-8")):
            wrong.append(f"{where}: no heading of {file.relative_to(pages.SOURCES)} has this anchor")
    return wrong


def main() -> int:
    others = [pages.SOURCES / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "datasets/README.md")]
    read = [page for page in [*pages.pages(), *others] if page.exists()]
    links = sum(len(pages.links_of(page.read_text(encoding="utf-8"))) for page in read)
    wrong = [line for page in read for line in broken_links(page)]
    if links < 100:
        wrong.append(f"only {links} links: they are found no more")
    print("\n".join(wrong) or f"{links} links in {len(read)} pages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
