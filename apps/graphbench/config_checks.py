"""What must hold of a configuration as a whole, once its parts are read: names that something has, and a size that can be run."""

import math
from collections import Counter

from .config import EDGES, OVERSUBSCRIPTION, Config
from .errors import UsageError
from .measures import MEASURES, SPEED_UP
from .schema import suggestion

# More runs than a year has minutes to spare for; a plan is a list in memory.
MOST_RUNS = 100_000


def check_config(config: Config, only: dict[str, list[str]], where: str) -> None:
    """Of a configuration with all its parts, those too that are not among `only`. Raises UsageError with the place and a suggestion."""
    known = {kind: [item.name for item in getattr(config, kind)] for kind in ("graphs", "algorithms", "systems", "programs")}
    for kind, names in known.items():
        name, count = next(iter(Counter(names).most_common(1)), ("", 0))
        if count > 1:
            raise UsageError(f"{where}: two of {kind} are named '{name}'")
    parts = [bool(known[kind]) for kind in ("graphs", "algorithms", "systems")]
    if not all(parts) and not (config.programs and not any(parts[1:])):
        raise UsageError(f"{where}: 'graphs', 'algorithms' and 'systems' are needed, or 'programs'")
    _check_size(config, where)
    _check_references(config, only, where, known)
    _check_lines(config, where)
    drawn = [figure.measure for figure in config.figures if figure.measure != SPEED_UP]
    for name in (*config.columns, *drawn):
        if name not in MEASURES:
            raise UsageError(
                f"{where}: there is no measure '{name}'{suggestion(name, MEASURES)}: there are {', '.join(MEASURES)}"
            )


def _check_size(config: Config, where: str) -> None:
    runs = config.repeats * (len(config.programs) + math.prod(map(len, (config.graphs, config.algorithms, config.systems))))
    if runs > MOST_RUNS:
        raise UsageError(f"{where}: these are {runs:,} runs, and a sweep has at most {MOST_RUNS:,}")


def _check_lines(config: Config, where: str) -> None:
    """A line is drawn over what changes from point to point: an option that nothing gives is a slip."""
    everywhere = [config.options, *(algorithm.options for algorithm in config.algorithms)]
    for graph in config.graphs:
        everywhere += [graph.options, *graph.options_for.values()]
    for system in config.systems:
        everywhere += [system.options, *system.options_for.values()]
    given = {name for options in everywhere for name in options}
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
            raise UsageError(f"{where}: {what} names '{name}', which is not among {kind}{suggestion(name, known[kind])}")

    check(config.baseline, "systems", "'baseline'")
    for kind, names in only.items():
        for name in names:
            if not name:
                raise UsageError(f"{where}: 'only' has an empty name among its {kind}")
            check(name, kind, "'only'")
    for skip in config.skips:
        for name, kind in ((skip.graph, "graphs"), (skip.algorithm, "algorithms"), (skip.system, "systems")):
            check(name, kind, "a 'skip'")
    for program in config.programs:
        check(program.graph, "graphs", f"program '{program.name}'")
    for link in config.bandwidth:
        check(link["program"], "programs", "'bandwidth'")
        for system in link["systems"]:
            check(system, "systems", "'bandwidth'")
    for item in config.expected:
        for name, kind in (
            (item.graph, "graphs"),
            (item.algorithm, "algorithms"),
            (item.system, "systems"),
            (item.over, "systems"),
        ):
            check(name, kind, f"'{item.what}' of 'expected'")
