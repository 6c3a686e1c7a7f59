# SPDX-License-Identifier: Apache-2.0
"""Compares what repeats the version of CMakeLists.txt: programs, recipes and pages. Checks the form of the changelog."""

import os
import re
import subprocess
import unittest
from pathlib import Path

_SOURCES = Path(__file__).resolve().parents[2]
_BUILD = Path(os.environ["GRAPHRUN_BUILD_DIR"])
_SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
_MOST_LINES = 60


def text_of(name: str) -> str:
    return (_SOURCES / name).read_text(encoding="utf-8")


VERSION = re.search(r"project\(graphrun VERSION (\d+\.\d+\.\d+) ", text_of("CMakeLists.txt"))[1]


class Version(unittest.TestCase):
    def test_programs_say_it_first_with_the_commit(self) -> None:
        for program in ("graphrun", "graphconv", "graphmemd", "graphbench"):
            command = [_BUILD / program, "--version"]
            said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
            self.assertRegex(said, rf"^{program} {re.escape(VERSION)} \(commit (unknown|[0-9a-f]{{12}}(-dirty)?)\)\n")

    def test_recipes_and_pages_have_it(self) -> None:
        for name, pattern in (
            ("CITATION.cff", r"^version: (\S+)$"),
            ("tools/packaging/conda/meta.yaml", r"^  version: (\S+)$"),
            ("tools/packaging/spack/package.py", r'^    version\("([^"]+)"\)$'),
            ("tools/packaging/spack/package.py", r"graphrun@([\d.]+)"),
        ):
            with self.subTest(name):
                self.assertEqual(re.findall(pattern, text_of(name), re.MULTILINE), [VERSION])
        for page in [_SOURCES / "README.md", *(_SOURCES / "docs").rglob("*.md")]:
            with self.subTest(page.name):
                text = page.read_text(encoding="utf-8")
                for found in re.findall(r'"version": "(\d+\.\d+\.\d+)"|graphrun (\d+\.\d+\.\d+)\b', text):
                    self.assertEqual("".join(found), VERSION)

    def test_changelog_has_releases_newest_first_in_a_few_lines_each(self) -> None:
        releases = re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", text_of("CHANGELOG.md"), re.MULTILINE)
        titles = [title for title, _ in releases]
        self.assertEqual(titles[0], "[Unreleased]")
        dates = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", title) for title in titles[1:]]
        self.assertTrue(all(dates), titles)
        self.assertEqual(dates[0][1], VERSION)
        self.assertEqual([date[2] for date in dates], sorted((date[2] for date in dates), reverse=True))
        self.assertIn(f"date-released: {dates[0][2]}\n", text_of("CITATION.cff"))
        for title, lines in releases:
            self.assertLessEqual(lines.count("\n"), _MOST_LINES, title)
            sections = re.findall(r"^### (.+)$", lines, re.MULTILINE)
            self.assertEqual(sections, [name for name in _SECTIONS if name in sections], title)


if __name__ == "__main__":
    unittest.main()
