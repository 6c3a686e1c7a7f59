"""What ends the program: one sentence and an exit code, caught once in cli.main()."""


class BenchError(Exception):
    """Something failed, or an answer was wrong."""

    exit_code = 1


class UsageError(BenchError):
    """The command line or a configuration asks for what cannot be."""

    exit_code = 2


class Unavailable(BenchError):
    """This machine lacks what was asked for."""

    exit_code = 77
