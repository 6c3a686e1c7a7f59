# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs for the site: the menu in its order, GitHub's anchors of headings, and a check of links to them."""

import html
import logging
import posixpath
import re
from urllib.parse import unquote, urlsplit

log = logging.getLogger("mkdocs.plugins.graphrun")  # a warning here fails a strict build

# The menu, in reading order. A folder stands for its pages; pages that are not there are left out, others follow at the end.
ORDER = {
    "": ["README.md", "docs/how_it_works.md", "docs/backends.md"],
    "Using": ["docs/python.md", "docs/networkx.md", "docs/algorithms.md", "docs/algorithms/", "docs/library.md", "docs/results.md",
              "docs/sweeps.md", "docs/formats.md", "docs/options.md", "docs/many.md", "docs/storage.md", "docs/building.md"],
    "Engineering": ["docs/architecture.md", "docs/extending.md", "docs/performance.md", "CONTRIBUTING.md"],
    "Notes": ["docs/notes/"],
    "More": ["docs/third_party.md", "CHANGELOG.md"],
}  # fmt: skip
_LEFT_OUT = ("datasets/", "configs/")  # reached by links


def _menu(pages):
    left = [page for page in sorted(pages) if not page.startswith(_LEFT_OUT)]
    menu = {}
    for title, names in ORDER.items():
        for name in names:
            found = [page for page in left if page == name or name.endswith("/") and page.startswith(name)]
            found.sort(key=lambda page: not page.endswith(("README.md", "index.md")))
            menu.setdefault(title, []).extend(found)
            left = [page for page in left if page not in found]
    menu["More"] = left + menu["More"]
    top = menu.pop("")
    return top + [{title: pages} for title, pages in menu.items() if pages]


def _slug(heading, separator):
    """Names the anchor of a heading as GitHub does."""
    return re.sub(r"[^\w\- ]", "", html.unescape(heading)).strip().lower().replace(" ", separator)


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = _slug
    return config


def on_files(files, config):
    config["nav"] = _menu([file.src_uri for file in files.documentation_pages()])
    return files


def on_page_markdown(markdown, **_):
    """Converts GitHub's Markdown to MkDocs': parts lists from the paragraph before them, indents nested lists by four, and
    omits words after the language of a block of code."""
    lines, is_code = [], False
    for line in markdown.splitlines():
        if fence := re.match(r"\s*```\w*", line):
            is_code = not is_code
            line = fence[0]  # "bash gpu": the second word is for tests
        item = not is_code and re.match(r"( *)(?:[-*]|\d+\.) ", line)
        if item and lines and lines[-1].strip() and not re.match(r" *(?:[-*]|\d+\.) |  ", lines[-1]):
            lines.append("")
        lines.append(" " * len(item[1]) + line if item and item[1] else line)
    return "\n".join(lines)


_anchors, _links = {}, []


def on_page_content(content, page, **_):
    here = page.file.dest_uri
    text = re.sub(r"<code>.*?</code>", "", content, flags=re.DOTALL)
    if "```" in text or re.search(r"<p>[^<]*\n(?:[-*]|\|) ", text):
        log.warning("%s has a block of code, a list or a table that is shown as text", page.file.src_uri)
    _anchors[here] = set(re.findall(r'\bid="([^"]+)"', content)) | {""}
    for target in re.findall(r'<a href="([^"]+)"', content):
        address = urlsplit(html.unescape(target))
        if not address.scheme:
            to = posixpath.normpath(posixpath.join(posixpath.dirname(here), unquote(address.path))) if address.path else here
            _links.append((page.file.src_uri, to, unquote(address.fragment)))


def on_post_build(**_):
    for page, to, anchor in _links:
        if to in _anchors and anchor not in _anchors[to]:
            log.warning("%s links to %s#%s, and that page has no such heading", page, to, anchor)
