# SPDX-License-Identifier: Apache-2.0
"""Lines of route_suite: requests that the page cache holds in part, dirty pages, aerial images, the log server; what it refuses."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(os.environ.get("GRAPHRUN_BENCH", "/nowhere")) / "route_suite"
ROUTES = ["direct", "page-cache", "auto"]
SMALL = ("--size", "4MiB", "--rounds", "1", "--seconds", "0.2")  # too small to be calibrated: reads have their usual costs


def suite(*arguments, code=0):
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, *SMALL, "--scratch", f"{folder},{folder}" if "striped" in arguments else folder]
        command += [argument for argument in arguments if argument != "striped"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)  # no io_uring here
    assert done.returncode == code, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()] if code == 0 else done.stderr


def page_cache_tells():
    """Returns whether this file system's pages can be cached and evicted, and counted."""
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, *SMALL, "--scratch", folder, "--measures", "warm", "--blocks", "1MiB"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return any(line["route"] == "auto" and line["cached_bytes"] > 0 for line in lines)


class RouteSuite(unittest.TestCase):
    def test_each_line_has_all_routes_and_auto_its_rate_over_the_faster(self):
        lines = suite("--measures", "random,in_order", "--blocks", "512,64KiB,4MiB")
        self.assertEqual([line["route"] for line in lines], 6 * ROUTES)
        for direct, cached, auto in zip(lines[::3], lines[1::3], lines[2::3]):
            self.assertEqual((direct["over_faster"], cached["over_faster"]), (None, None))
            faster = max(direct["bytes_per_second"], cached["bytes_per_second"])
            self.assertAlmostEqual(auto["over_faster"], auto["bytes_per_second"] / faster, delta=0.01)

    def test_requests_that_are_cached_in_part_are_split_and_merged(self):
        lines = suite("--measures", "mixed", "--blocks", "512KiB", "--stretches", "4KiB,64KiB")
        auto = {line["stretch_bytes"]: line for line in lines if line["route"] == "auto"}
        self.assertGreater(auto[4096]["merges"], 100)  # a page saves less than a command
        self.assertGreater(auto[65536]["splits"], 10)
        self.assertGreater(auto[65536]["cached_bytes"], 1 << 20)

    def test_dirty_pages_are_counted_and_read_as_they_were_written(self):
        lines = suite("--measures", "dirty", "--blocks", "64KiB")
        self.assertEqual([line["dirty_bytes"] > 0 for line in lines], [False, False, True])

    def test_a_striped_file_is_read_as_it_was_written(self):
        lines = suite("striped", "--measures", "random", "--blocks", "16KiB,1MiB,4MiB")
        self.assertEqual({line["parts"] for line in lines}, {2})

    def test_aerial_images_have_reads_in_order_in_one_layout_alone(self):
        lines = suite("--measures", "aerial", "--size", "32MiB")
        layouts = {(line["measure"], line["tile_pixels"]): line["ahead_bytes"] for line in lines if line["route"] == "auto"}
        self.assertEqual(set(layouts), {("raster", 1024), ("tiles", 64), ("tiles", 128), ("tiles", 256)})
        self.assertEqual(layouts["raster", 1024], 0)
        self.assertGreater(layouts["tiles", 64], 0)

    def test_the_log_server_finds_what_was_written(self):
        lines = suite("--measures", "log")  # ends with 1 where it finds another number of lines
        self.assertEqual([line["scenario"] for line in lines], 3 * ["real time"] + 3 * ["offline"])
        self.assertEqual(len({line["suspicious_lines"] for line in lines}), 1)
        self.assertGreater(lines[0]["suspicious_lines"], 0)
        self.assertEqual(lines[2]["direct_bytes"], 0)  # real time, auto: updates are still cached

    def test_calibration_stands_beside_other_lengths(self):
        lines = suite("--measures", "calibration", "--size", "16MiB")
        self.assertEqual([line["depth"] for line in lines if line["measure"] == "calibration"], [1, 64])
        self.assertEqual([line["pages"] for line in lines if line["measure"] == "fit"], 2 * [2**i for i in range(9)])

    def test_what_does_not_fit_is_refused(self):
        for arguments in (("--measures", "writes"), ("--blocks", "500"), ("--blocks", "32MiB"), ("--stretches", "512"), ("--cached", "101"),
                          ("--cached", "5x"), ("--rounds", "0"), ("--seconds", "0"), ("--measures", "aerial", "--size", "2MiB"),
                          ("--measures", "dirty", "--file", PROGRAM)):  # fmt: skip
            with self.subTest(arguments):
                self.assertIn("error: ", suite(*arguments, code=2))


if __name__ == "__main__":
    if not PROGRAM.exists():
        print(f"there is no {PROGRAM}: build it, and name its folder in GRAPHRUN_BENCH")
        sys.exit(77)
    if not page_cache_tells():
        print("nothing leaves the page cache of this file system, or the kernel does not count it")
        sys.exit(77)
    unittest.main()
