#!/usr/bin/env python3
"""Prints what the tasks of an H13 hardware container do, and checks what an engine relies on.

usage: hwx_tasks.py FILE.hwx ...

Written from the public register notes alone, without a line of this project: a second reader of the
containers that `anecheck lower --target h13` and Apple's compiler write. Exit code 1 where a check fails.
"""

import struct
import sys

MAGIC = 0xBEEFFACE
SEGMENT = 0x19
TEXT_FLAGS, CONST_FLAGS = 0x28, 0x26
HEADER_WORDS = 10
TASK_TYPES = {0: "neural", 2: "planar unary", 3: "planar elementwise", 4: "planar per channel",
              5: "planar reduction", 6: "planar elementwise and reduction"}
NEURAL = {0: "multiply and accumulate", 3: "maximum", 4: "copy"}
NONLINEAR = {0: "", 1: ", relu", 2: ", table"}
PLANAR = {0: "add", 1: "multiply", 2: "maximum", 3: "minimum", 4: "square of the sum"}


class Broken(Exception):
    """A container that an engine could not run."""


def need(condition, what):
    if not condition:
        raise Broken(what)


def sections(data):
    """(name, flags, bytes) of every section."""
    magic, _, subtype, _, commands = struct.unpack_from("<5I", data)
    need(magic == MAGIC, "no hardware container")
    need(subtype == 4, f"cpusubtype {subtype}: only H13 is read")
    at = 32
    for _ in range(commands):
        command, size = struct.unpack_from("<2I", data, at)
        need(size >= 8 and at + size <= len(data), "a command ends behind the file")
        if command == SEGMENT:
            (count,) = struct.unpack_from("<I", data, at + 64)
            for i in range(count):
                record = at + 72 + 80 * i
                name = data[record:record + 16].rstrip(b"\0").decode()
                size_of, = struct.unpack_from("<Q", data, record + 40)
                offset, = struct.unpack_from("<I", data, record + 48)
                flags, = struct.unpack_from("<I", data, record + 64)
                yield name, flags & 0xFF & ~0x100, data[offset:offset + size_of] if offset else b""
        at += size


def tasks(text):
    """(header words, registers) of every task, by the chain of next offsets."""
    at, seen = 0, set()
    while True:
        need(at not in seen and at + 4 * HEADER_WORDS <= len(text), f"the chain leaves the text at 0x{at:x}")
        seen.add(at)
        header = struct.unpack_from(f"<{HEADER_WORDS}I", text, at)
        word = at + 4 * HEADER_WORDS + (4 if header[9] & 3 == 3 else 0)
        registers = {}
        end = word + 4 * 147
        while word < min(end, len(text)):
            record, = struct.unpack_from("<I", text, word)
            count, address = (record >> 26) + 1, record & 0x3FFFFFF
            if record == 0 and registers:  # padding between tasks
                break
            word += 4
            need(word + 4 * count <= len(text), "a record ends behind the text")
            for i, value in enumerate(struct.unpack_from(f"<{count}I", text, word)):
                registers[address + 4 * i] = value
            word += 4 * count
            if len(registers) == 140:
                break
        yield header, registers
        if header[7] == 0:
            need(header[0] >> 25 & 1, "the last task does not end the network")
            return
        at = header[7]


def describe(header, registers, constants):
    get = lambda address, low=0, width=32: registers.get(address, 0) >> low & ((1 << width) - 1)
    kind = get(0x34, 4, 4)
    need(kind in TASK_TYPES, f"task type {kind}")
    size = lambda word, channels: f"{get(channels, 0, 17)}x{get(word, 16, 15)}x{get(word, 0, 15)}"
    text = f"{TASK_TYPES[kind]}: {size(0x0, 0xC)} to {size(0x14, 0x10)}"
    if kind == 0:
        text += f", {NEURAL.get(get(0xC804, 0, 3), '?')}{NONLINEAR.get(get(0xC804, 16, 2), '?')}"
        if not get(0xC804, 3, 1):
            text += f", kernel {get(0x1C, 5, 5)}x{get(0x1C, 0, 5)}, stride {get(0x1C, 15, 2)}x{get(0x1C, 13, 2)}"
            text += f", groups {get(0x24, 0, 13)}, lanes {1 << get(0x1C, 10, 3)}, engines {1 << get(0x34, 19, 3)}"
        need((header[8] >> 24 & 7) == get(0x34, 19, 3) + 1, "header and task disagree about the engines")
    elif kind in (3, 6):
        text += f", {PLANAR.get(get(0x8800, 2, 3), '?')}{', relu' if get(0x8800, 5, 1) else ''}"
    source = "L2" if get(0x4804, 0, 2) == 0 else f"bar {header[8] & 31}"
    result = "L2" if get(0x4830, 0, 2) == 0 else f"bar {header[8] >> 12 & 31}"
    text += f"; {source} -> {result}"
    if header[9] >> 5 & 1:
        streams = [i for i in range(16) if get(0x1F808 + 4 * i, 0, 1)]
        need(streams, "a kernel stream without an engine")
        for i in streams:
            base, length = get(0x1F848 + 4 * i), get(0x1F888 + 4 * i)
            need(base % 64 == 0 and length % 64 == 0 and length > 0, f"stream {i}: {base}, {length} bytes")
            inside = header[9] & 31 != 1 or base + length <= len(constants)
            need(inside, f"stream {i} ends at {base + length}, the constants have {len(constants)} bytes")
        text += f"; {len(streams)} streams of bar {header[9] & 31}"
    return text


def read(path):
    data = open(path, "rb").read()
    found = list(sections(data))
    text = next((body for name, _, body in found if name == "__text"), b"")
    constants = next((body for name, flags, body in found if name == "__const" and body), b"")
    need(text, "no __text section")
    return [describe(header, registers, constants) for header, registers in tasks(text)]


def main(paths):
    broken = 0
    for path in paths:
        try:
            for number, line in enumerate(read(path)):
                print(f"{path}: task {number}: {line}")
        except (Broken, struct.error, UnicodeDecodeError) as error:
            broken += 1
            print(f"{path}: {error}")
    return 1 if broken or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
