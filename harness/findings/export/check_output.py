#!/usr/bin/env python3
"""Checks the outputs of a network against the contract of a conforming Neural Engine.

usage: python3 check_output.py [OUTPUTS.npz]      (default: actual.npz, the outputs of the finding, and
                                                   actual_again.npz, actual_rewritten.npz and
                                                   actual_at_shape.npz if they exist)

Needs only NumPy. OUTPUTS.npz contains one array for each output, under its name. For every output the
script prints how many elements lie outside their interval, and the worst of these elements. The worst
is farthest from its interval, counted in numbers of the output's type; among equals, the first. Exit code 0 if no element lies outside, 1 if some
do, 2 if the file does not fit.
"""

import pathlib
import sys

try:
    import numpy
except ImportError:
    print("check_output.py: NumPy is missing; install it (Debian: python3-numpy)", file=sys.stderr)
    sys.exit(2)

FOLDER = pathlib.Path(__file__).resolve().parent
NAN_ALLOWED = 1
FAR = 2**32 - 1  # the distance between numbers of different kinds, such as NaN and 1


def outside(expected, name, actual):
    """Marks the elements of `actual` that no conforming engine returns, as a flat array of bools."""
    flat = actual.astype(numpy.float64).ravel()
    low, high = expected[name + ".low"].ravel(), expected[name + ".high"].ravel()
    nan_allowed = (expected[name + ".flags"].ravel() & NAN_ALLOWED) != 0
    with numpy.errstate(invalid="ignore"):
        inside = (low <= flat) & (flat <= high)
        if expected[name + ".whole"]:
            inside &= numpy.trunc(flat) == flat
    if name + ".members" in expected:
        begin, members = expected[name + ".member_begin"], expected[name + ".members"]
        for i in numpy.flatnonzero(begin[1:] > begin[:-1]):
            inside[i] &= flat[i] in members[begin[i]:begin[i + 1]]
    return ~numpy.where(numpy.isnan(flat), nan_allowed, inside)


def ordinal(numbers, dtype):
    """The rank of each number among the numbers of a floating-point type."""
    with numpy.errstate(over="ignore"):
        raw = numbers.astype(dtype).view(f"i{dtype.itemsize}").astype(numpy.int64)
    return numpy.where(raw < 0, -(raw & (2**(8 * dtype.itemsize - 1) - 1)), raw)


def steps_outside(flat, low, high, dtype):
    """The distance of each number from its interval, counted in numbers of its type; at least 1."""
    end = numpy.where(flat < low, low, high)
    if dtype.kind == "f":
        steps = numpy.abs(ordinal(flat, dtype) - ordinal(end, dtype)).astype(numpy.float64)
    else:
        steps = numpy.abs(flat - end)
    steps[(low <= flat) & (flat <= high)] = 1
    steps[numpy.isnan(flat) | numpy.isnan(end)] = FAR
    return numpy.clip(steps, 1, FAR)


def interval_text(low, high):
    return "nan" if numpy.isnan(low) else f"in [{low:g}, {high:g}]"


def load(path):
    """Returns the arrays of an .npz file by name, or None after printing its error."""
    try:
        # dict() reads every array; numpy.load alone does not. A damaged file may raise errors of the
        # archive, the decompressor or the header parser.
        return dict(numpy.load(path, allow_pickle=False))
    except Exception as error:  # pylint: disable=broad-except
        text = " ".join(str(error).split()) or type(error).__name__
        print(f"{path}: cannot be read as an .npz file: {text}", file=sys.stderr)
        return None


def check(expected, name, actual):
    """Prints the judgement of one output and returns whether it is right."""
    shape = expected[name + ".value"].shape
    if actual.shape != shape:
        print(f"{name}: has shape {list(actual.shape)}, must have {list(shape)}")
        return False
    bad = outside(expected, name, actual)
    if not bad.any():
        print(f"{name}: all {bad.size} elements are inside their intervals")
        return True
    flat = actual.astype(numpy.float64).ravel()
    low, high = expected[name + ".low"].ravel(), expected[name + ".high"].ravel()
    with numpy.errstate(invalid="ignore"):
        steps = steps_outside(flat, low, high, actual.dtype)
    worst = int(numpy.argmax(numpy.where(bad, steps, 0)))
    index = [int(i) for i in numpy.unravel_index(worst, shape)] if shape else []
    print(f"{name}: {int(bad.sum())} of {bad.size} elements are outside; worst at {worst}, {index}: "
          f"is {flat[worst]:g}, must be {interval_text(low[worst], high[worst])}")
    return False


def judge(path, expected_path):
    """The exit code of the outputs in one file."""
    outputs, expected = load(path), load(expected_path)
    if outputs is None or expected is None:
        return 2
    names = [key[:-len(".value")] for key in expected if key.endswith(".value")]
    missing = [name for name in names if name not in outputs]
    if missing:
        print(f"{path}: holds no array for output {missing[0]}", file=sys.stderr)
        return 2
    for name in names:
        if outputs[name].dtype.kind not in "biuf":
            print(f"{path}: {name}: holds {outputs[name].dtype}, not numbers", file=sys.stderr)
            return 2
    return 0 if all([check(expected, name, outputs[name]) for name in names]) else 1


def main(arguments):
    if len(arguments) > 2 or (len(arguments) == 2 and arguments[1].startswith("-")):
        print(__doc__, file=sys.stderr)
        return 2
    if len(arguments) == 2:
        return judge(pathlib.Path(arguments[1]), FOLDER / "expected.npz")
    if not (FOLDER / "actual.npz").exists():
        print("no actual.npz: the engine gave no outputs; name a file of your own outputs",
              file=sys.stderr)
        return 2
    code = judge(FOLDER / "actual.npz", FOLDER / "expected.npz")
    for suffix, where in (("again", "in the second execution"),
                          ("rewritten", "of the rewritten network"),
                          ("at_shape", "at another shape of the range")):
        further = FOLDER / f"actual_{suffix}.npz"
        if further.exists():
            print(f"{where}:")
            code = max(code, judge(further, FOLDER / f"expected_{suffix}.npz"))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv))
