"""What must hold of a configuration as a whole, once its parts are read: names that something has, and a size that can be run."""

import math
from collections import Counter

from .config import EDGES, OVERSUBSCRIPTION, PARTS, Config
from .errors import UsageError
from .schema import suggestion

# More runs than a year has minutes to spare for; a plan is a list in memory.
MOST_RUNS = 100_000


def check_config(config: Config, only: dict[str, list[str]], where: str) -> None:
    """Of a configuration with all its parts, those too that are not among `only`. Raises UsageError with the place and a suggestion."""
    known = {kind: [item.name for item in getattr(config, kind)] for kind in (*PARTS, "programs")}
    for kind, names in known.items():
        name, count = next(iter(Counter(names).most_common(1)), ("", 0))
        if count > 1:
            raise UsageError(f"{where}: two of {kind} are named '{name}'")
    parts = [bool(known[kind]) for kind in PARTS]
    if not all(parts) and not (config.programs and not any(parts[1:])):
        raise UsageError(f"{where}: 'graphs', 'algorithms' and 'systems' are needed, or 'programs'")
    _check_size(config, where)
    _check_references(config, only, where, known)
    _check_lines(config, where)


def _check_size(config: Config, where: str) -> None:
    runs = config.repeats * (len(config.programs) + math.prod(map(len, (config.graphs, config.algorithms, config.systems))))
    if runs > MOST_RUNS:
        raise UsageError(f"{where}: these are {runs:,} runs, and a sweep has at most {MOST_RUNS:,}")


def _check_lines(config: Config, where: str) -> None:
    """A line is drawn over what changes from point to point: an option that nothing gives is a slip."""
    given = {name for _, options in config.all_options for name in options}
    for figure in config.figures:
        if figure.kind == "lines" and figure.over not in (EDGES, OVERSUBSCRIPTION, *given):
            raise UsageError(
                f"{where}: a figure is 'over' {figure.over}, and no option of that name is given"
                f"{suggestion(figure.over, (EDGES, OVERSUBSCRIPTION, *given))}"
            )


def _check_references(config: Config, only: dict[str, list[str]], where: str, known: dict[str, list[str]]) -> None:
    def check(name: str | None, kind: str, what: str) -> None:
        """An empty name stands for all, and None for nothing."""
        if name and name not in known[kind]:
            meant = suggestion(name, known[kind]) or f": {', '.join(known[kind]) or 'there are none'}"
            raise UsageError(f"{where}: {what} names '{name}', which is not among {kind}{meant}")

    check(config.baseline, "systems", "'baseline'")
    for kind, names in only.items():
        for name in names:
            check(name, kind, f"'only' (or --set {kind})")
    for skip in config.skips:
        for name, kind in zip((skip.graph, skip.algorithm, skip.system), PARTS):
            check(name, kind, "a 'skip'")
    for program in config.programs:
        check(program.graph, "graphs", f"program '{program.name}'")
    for link in config.bandwidth:
        check(link["program"], "programs", "'bandwidth'")
        for system in link["systems"]:
            check(system, "systems", "'bandwidth'")
    for item in config.expected:
        for name, kind in zip((item.graph, item.algorithm, item.system, item.over), (*PARTS, "systems")):
            check(name, kind, f"'{item.what}' of 'expected'")
