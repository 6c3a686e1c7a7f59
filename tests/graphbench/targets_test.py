# SPDX-License-Identifier: Apache-2.0

import os
import stat
import unittest
from pathlib import Path

from support import BenchTest


class Targets(BenchTest):
    """Where a report is written to, when something is there already."""

    def setUp(self) -> None:
        super().setUp()
        self.assertEqual(self.sweep(systems=["incore"]).returncode, 0)
        self.plain = self.out / "plain.csv"
        self.report(self.plain)

    def report(self, target: Path) -> None:
        done = self.bench("report", self.out, "--csv", target)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_pipe_is_written_into(self) -> None:
        pipe = self.out / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDWR)  # so that no end of it waits for the other
        self.addCleanup(os.close, reader)
        self.report(pipe)
        self.assertTrue(pipe.is_fifo())
        self.assertEqual(os.read(reader, 1 << 16), self.plain.read_bytes())

    def test_a_device_stays_a_device(self) -> None:
        device = self.out / "device"
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # what /dev/null is
            os.close(os.open(device, os.O_WRONLY))
        except PermissionError:
            self.skipTest("devices cannot be made or opened here")
        self.report(device)
        self.assertTrue(device.is_char_device())

    def test_a_symbolic_link_stays_and_leads_to_the_report(self) -> None:
        (self.out / "elsewhere").mkdir()
        link = self.out / "link.csv"
        for before in (None, "old"):
            real = self.out / "elsewhere" / f"{before}.csv"
            if before:
                real.write_text(before, encoding="ascii")
            link.unlink(missing_ok=True)
            link.symlink_to(real)
            self.report(link)
            self.assertTrue(link.is_symlink())
            self.assertEqual(real.read_bytes(), self.plain.read_bytes())

    def test_a_file_of_the_name_of_a_scratch_file_is_left_alone(self) -> None:
        other = self.out / "r.csv.tmp"
        other.write_text("mine", encoding="ascii")
        self.report(self.out / "r.csv")
        self.assertEqual(other.read_text(encoding="ascii"), "mine")


if __name__ == "__main__":
    unittest.main()
