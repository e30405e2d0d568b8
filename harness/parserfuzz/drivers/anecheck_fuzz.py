"""Lets `anecheck fuzz` drive a parser in Python inside one process.

    import anecheck_fuzz

    def parse(data: bytes) -> bool:      # a false value other than None means: refused
        ...

    anecheck_fuzz.main(parse, refusals=(ParseError,))

    anecheck fuzz --format hwx -- python3 target.py

An exception is a finding unless its type is in `refusals`, to which SystemExit always belongs. The
lines that the parser executes steer the harness, except lines of the standard library. Without the
harness the program reads the files named by its arguments, so that `python3 target.py FILE`
reproduces a finding.
"""
import mmap
import os
import struct
import sys
import sysconfig
import traceback
import zlib

_COUNTERS = 65536
_HEAD = 4096
_LIBRARY = (sysconfig.get_paths()["stdlib"], "<frozen")


class _Coverage:
    """Counts the pairs of lines that follow each other within a function."""

    def __init__(self):
        self.counts = bytearray(_COUNTERS)
        self._watched = {}

    def _is_watched(self, code):
        found = self._watched.get(code)
        if found is None:
            found = not code.co_filename.startswith(_LIBRARY) and code.co_filename != __file__
            self._watched[code] = found
        return found

    def trace(self, frame, event, _argument):
        code = frame.f_code
        if not self._is_watched(code):
            return None
        counts = self.counts
        base = zlib.crc32(f"{code.co_filename}:{code.co_firstlineno}".encode())
        last = 0

        def line(frame, event, _argument):
            nonlocal last
            if event == "line":
                now = frame.f_lineno
                place = (base + last * 257 + now) % _COUNTERS
                if counts[place] != 255:
                    counts[place] += 1
                last = now
            return line

        return line


class _Driver:
    def __init__(self, place, parse, refusals):
        path, read_end, write_end = place.rsplit(":", 2)
        self._in, self._out = int(read_end), int(write_end)
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._parse, self._refusals = parse, refusals
        self._coverage = _Coverage() if os.environ.get("ANECHECK_FUZZ_COVERAGE") != "0" else None

    def _answer(self, tag, value):
        os.write(self._out, tag + struct.pack("=i", value))

    def _run(self):
        size = struct.unpack_from("=I", self._map, 4)[0]
        start = _HEAD + _COUNTERS
        data = bytes(self._map[start:start + size])
        if self._coverage is None:
            return _refuses(self._parse, data, self._refusals)
        self._coverage.counts[:] = bytes(_COUNTERS)
        sys.settrace(self._coverage.trace)
        try:
            return _refuses(self._parse, data, self._refusals)
        finally:
            sys.settrace(None)
            self._map[_HEAD:start] = bytes(self._coverage.counts)
            struct.pack_into("=I", self._map, 8, _COUNTERS)

    def _run_to_exit_code(self):
        """Exit code of the file: 0 accepted, 1 refused or, with a traceback, failed."""
        try:
            return int(self._run())
        except Exception:  # pylint: disable=broad-except
            traceback.print_exc()
            return 1

    def _work(self):
        while os.read(self._in, 1):
            code = self._run_to_exit_code()
            sys.stdout.flush()
            sys.stderr.flush()
            self._answer(b"D", code)
        struct.pack_into("=I", self._map, 16, 1)
        os._exit(0)

    def serve(self):
        self._answer(b"H", 1)
        while True:
            child = os.fork()
            if child == 0:
                self._work()
            struct.pack_into("=i", self._map, 12, child)
            status = os.waitpid(child, 0)[1]
            if struct.unpack_from("=I", self._map, 16)[0]:
                os._exit(0)
            if os.WIFSIGNALED(status):
                self._answer(b"S", os.WTERMSIG(status))
            else:
                self._answer(b"E", os.WEXITSTATUS(status))


def _refuses(parse, data, refusals):
    try:
        accepted = parse(data)
    except (SystemExit, *refusals):
        return True
    return accepted is not None and not accepted


def main(parse, refusals=()):
    """Runs `parse` on every file that the harness sends, or on those named by the arguments."""
    place = os.environ.pop("ANECHECK_FUZZ", None)
    if place is not None:
        _Driver(place, parse, tuple(refusals)).serve()
    refused = False
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            refused |= _refuses(parse, file.read(), tuple(refusals))
    sys.exit(1 if refused else 0)
