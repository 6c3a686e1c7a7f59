"""A bar for jobs that last over a second: by tqdm, where that is installed and the output is a terminal or a notebook."""

import sys


class Bar:
    """Called by a job with its stage, how much of it is done (0 where that is not known) and the same in words."""

    def __init__(self):
        self._stage = None
        self._bar = None

    def __call__(self, stage, fraction, text):
        if stage != self._stage:
            self.close()
            self._stage = stage
            known = {"total": 100, "bar_format": "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"}
            try:
                from tqdm.auto import tqdm  # not before: it takes a fifth of a second

                self._bar = tqdm(leave=False, **(known if fraction > 0 else {"bar_format": "{desc}"}))
            except ImportError:  # no tqdm, or a notebook without widgets
                return
        if self._bar is None:
            return
        if self._bar.total:
            self._bar.n = round(100 * fraction, 1)
        self._bar.set_description_str(stage if self._bar.total else text, refresh=True)

    def close(self):
        if self._bar is not None:
            self._bar.close()
        self._bar = self._stage = None


def bar():
    """A Bar, or None where the output is neither a terminal nor a notebook."""
    in_notebook = "ipykernel" in sys.modules
    if not in_notebook and (sys.stderr is None or not sys.stderr.isatty()):
        return None
    return Bar()
