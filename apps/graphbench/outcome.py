# SPDX-License-Identifier: Apache-2.0
"""The outcome of a finished process: a status, the reason when it is not the good one, and the measurements."""

import signal
from dataclasses import dataclass
from typing import Any

from .plan import AUTO, Question
from .process import MOST_OUTPUT_BYTES, Finished
from .records import CRASHED, DONE, FAILED, GARBLED, OUT_OF_MEMORY, REFUSED, RESULT, TIMED_OUT, UNAVAILABLE, WRONG
from .schema import misfit
from .schema import DEEPEST, NotJson, parse_json

# Phrases of graphrun, the C++ library, the C library and CUDA.
_MEMORY_SENTENCES = ("not enough memory", "std::bad_alloc", "cannot allocate memory", "out of memory")


@dataclass(frozen=True)
class Outcome:
    status: str
    reason: str | None = None
    result: Any = None  # graphrun's object, or a program's list of them


def judge(finished: Finished, time_limit_s: float, question: Question | None) -> Outcome:
    """Returns the outcome of a run of graphrun with a question, or (None) of a program that prints an object a line."""
    ended = judge_conversion(finished, time_limit_s)
    if ended.status not in (DONE, FAILED, OUT_OF_MEMORY) or finished.exit_code is None:
        return ended
    try:
        result = _parse(finished, question)
    except ValueError as error:
        return Outcome(GARBLED, f"exit code 0, but {error}") if finished.exit_code == 0 else ended
    wrong = _wrong_line(result) if question is None else _wrong_answer(result)
    if wrong is not None:
        return Outcome(WRONG, wrong, result)
    return Outcome(DONE, None, result) if finished.exit_code == 0 else ended


def judge_conversion(finished: Finished, time_limit_s: float) -> Outcome:
    """Returns the outcome of a run of graphconv, whose output is ignored."""
    if finished.timed_out:
        return Outcome(TIMED_OUT, f"still ran after the limit of {time_limit_s:g} s, and was killed")
    if finished.printed_too_much:
        return Outcome(GARBLED, f"it printed more than {MOST_OUTPUT_BYTES >> 20} MiB, and was killed")
    sentence = _last_sentence(finished.errors)
    if finished.signal is not None:
        return _judge_signal(finished, sentence)
    if finished.exit_code == 77:
        return Outcome(UNAVAILABLE, sentence or "it says that something is not available here (exit code 77), and not what")
    if finished.exit_code == 2:
        return Outcome(REFUSED, sentence or "a usage error (exit code 2) without a sentence")
    return Outcome(DONE) if finished.exit_code == 0 else _failed(finished, sentence)


def _failed(finished: Finished, sentence: str) -> Outcome:
    if any(words in sentence.lower() for words in _MEMORY_SENTENCES):
        return Outcome(OUT_OF_MEMORY, sentence)
    return Outcome(FAILED, sentence or f"exit code {finished.exit_code} without a sentence")


def _judge_signal(finished: Finished, sentence: str) -> Outcome:
    name = signal.Signals(finished.signal).name if finished.signal in signal.valid_signals() else f"signal {finished.signal}"
    if finished.signal == signal.SIGKILL and finished.out_of_memory_kills > 0:
        return Outcome(OUT_OF_MEMORY, "killed by the kernel when the machine's memory was used up")
    if "std::bad_alloc" in sentence:
        return Outcome(OUT_OF_MEMORY, f"ended by {name}: {sentence}")
    return Outcome(CRASHED, f"ended by {name}" + (f"; its last words: {sentence}" if sentence else ""))


def _parse(finished: Finished, question: Question | None) -> Any:
    if question is not None:
        result = _object(finished.output, "its output")
        if (found := misfit(result, RESULT, "its output")) is not None:
            raise ValueError(f"it is not a graphrun of this version ({found})")
        answered = (result["algorithm"], result["backend"], len(result["trials"]))
        for what, is_, asked in zip(("algorithm", "backend", "number of trials"), answered, vars(question).values()):
            if is_ != asked and (what, asked) != ("backend", AUTO):
                raise ValueError(f"its {what} is {is_} and should be {asked}")
        return result
    lines = [line for line in finished.output.splitlines() if line.strip()]
    if not lines:
        raise ValueError("it printed nothing")
    return [_object(line, f"line {i + 1} of its output") for i, line in enumerate(lines)]


def _object(text: str, what: str) -> dict[str, Any]:
    try:
        value = parse_json(text, deepest=DEEPEST - 2)  # its row is one more object, and that of a program's line has a list
    except NotJson as error:
        raise ValueError(f"{what} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no JSON object")
    return value


def _wrong_answer(result: dict[str, Any]) -> str | None:
    if result["verdict"] != "wrong":
        return None
    reasons = (trial.get("reason") for trial in result["trials"] if trial["verdict"] == "wrong")
    return next((reason for reason in reasons if reason), "verdict 'wrong' without a reason")


def _wrong_line(lines: list[dict[str, Any]]) -> str | None:
    """Returns a line that reports errors: self-checking programs count them in 'wrong' or 'wrong_words'."""
    found = (
        (i, name, line[name]) for i, line in enumerate(lines) for name in line if name.split("_")[0] == "wrong" and line[name]
    )
    return next((f"line {i + 1} of its output says {name}: {value}" for i, name, value in found), None)


def _last_sentence(errors: str) -> str:
    """Returns the last line that begins with 'error:', else the last line."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    named = [line for line in lines if line.lower().startswith("error:")]
    sentence = (named or lines or [""])[-1][:1000]
    return sentence.split(":", 1)[1].strip() if named else sentence
