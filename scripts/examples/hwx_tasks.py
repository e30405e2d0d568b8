#!/usr/bin/env python3
"""Prints the tasks of a hardware container of H13 to H18, and checks the properties on which an engine relies.

usage: hwx_tasks.py FILE.hwx ...

Written from the public register notes alone, without code of this project, as a second reader of the
containers that `anecheck lower` and Apple's compiler write. Exit code 1 if a check fails.
"""

import struct
import sys

MAGIC = 0xBEEFFACE
SEGMENT = 0x19
GENERATIONS = {4: "h13", 5: "h14", 6: "h15", 7: "h16", 9: "h17", 10: "h18"}  # by cpusubtype
HEADER_WORDS = {"h13": 10, "h14": 8, "h15": 8, "h16": 9, "h17": 9, "h18": 9}
CONSTANTS = {"h13": 1}  # BAR of the constants; 4 from H14 on
TASK_TYPES = {0: "neural", 2: "planar unary", 3: "planar elementwise", 4: "planar per channel",
              5: "planar reduction", 6: "planar elementwise and reduction"}
NEURAL = {0: "multiply and accumulate", 2: "product", 3: "maximum", 4: "copy"}
NONLINEAR = {0: "", 1: ", relu", 2: ", table"}
PLANAR = {0: "add", 1: "multiply", 2: "maximum", 3: "minimum", 4: "square of the sum"}

# The place of a field: (register, lowest bit, width) on H13, H14, H15 and H16 to H18, and the value
# of a register that a task of H14 and later does not write.
PLACES = {
    "kind": ((0x34, 4, 4), (0x38, 4, 4), (0x38, 4, 4), (0x3C, 4, 4), 0),
    "engines": ((0x34, 19, 3), (0x38, 19, 3), (0x38, 19, 3), (0x3C, 19, 3), 0),
    "in width": ((0x0, 0, 15), (0x0, 0, 15), (0x0, 0, 15), (0x4, 0, 15), 256),
    "in height": ((0x0, 16, 15), (0x0, 16, 15), (0x0, 16, 15), (0x8, 0, 15), 256),
    "in channels": ((0xC, 0, 17), (0xC, 0, 17), (0xC, 0, 17), (0xC, 0, 17), 16),
    "out width": ((0x14, 0, 15), (0x14, 0, 15), (0x14, 0, 15), (0x14, 0, 15), 256),
    "out height": ((0x14, 16, 15), (0x14, 16, 15), (0x14, 16, 15), (0x18, 0, 15), 256),
    "out channels": ((0x10, 0, 17), (0x10, 0, 17), (0x10, 0, 17), (0x1C, 0, 17), 16),
    "groups": ((0x24, 0, 13), (0x28, 0, 13), (0x28, 0, 13), (0x24, 0, 13), 1),
    "kernel width": ((0x1C, 0, 5), (0x20, 0, 6), (0x20, 0, 6), (0x28, 0, 6), 1),
    "kernel height": ((0x1C, 5, 5), (0x20, 6, 6), (0x20, 6, 6), (0x28, 6, 6), 1),
    "stride x": ((0x1C, 13, 2), (0x20, 13, 2), (0x20, 13, 2), (0x28, 13, 2), 1),
    "stride y": ((0x1C, 15, 2), (0x20, 15, 2), (0x20, 15, 2), (0x28, 15, 2), 1),
    "lanes": ((0x1C, 10, 3), (0x1C, 0, 3), (0x1C, 0, 3), (0x40, 0, 3), 3),
    "operation": ((0xC804, 0, 3), (0xD04, 0, 3), (0x4904, 0, 3), (0x4904, 0, 3), 0),
    "no kernel": ((0xC804, 3, 1), (0xD04, 3, 1), (0x4904, 3, 1), (0x4904, 3, 1), 0),
    "nonlinear": ((0xC804, 16, 2), (0xD04, 16, 2), (0x4904, 16, 2), (0x4904, 16, 2), 0),
    "planar": ((0x8800, 2, 3), (0x900, 2, 3), (0x4500, 2, 3), (0x4500, 2, 3), 0),
    "planar relu": ((0x8800, 5, 1), (0x900, 5, 1), (0x4500, 5, 1), (0x4500, 5, 1), 0),
    "source type": ((0x4804, 0, 2), (0x504, 0, 2), (0x4104, 0, 2), (0x4104, 0, 2), 0),
    "result type": ((0x4830, 0, 2), (0x530, 0, 2), (0x4134, 0, 2), (0x4148, 0, 2), 0),
    "stream on": ((0x1F808, 0, 1), (0x1918, 0, 1), (0x5520, 0, 1), (0x5520, 0, 1), 0),
    "stream base": ((0x1F848, 0, 32), (0x1958, 0, 32), (0x5560, 0, 32), (0x5560, 0, 32), 0),
    "stream size": ((0x1F888, 0, 32), (0x1998, 0, 32), (0x55A0, 0, 32), (0x55A0, 0, 32), 0),
}
# Registers that an address packet writes: kernel, source 1, result.
PACKETS = {"h14": (0x1908, 0x1110, 0x1508), "h15": (0x5510, 0x4D10, 0x5108), "h16": (0x5510, 0x4D10, 0x5108),
           "h17": (0x5510, 0x4D10, 0x5108), "h18": (0x5510, 0x4D18, 0x5110)}


class Broken(Exception):
    """A container that an engine could not run."""


def need(condition, what):
    if not condition:
        raise Broken(what)


def generation_of(data):
    need(len(data) >= 32, "no hardware container")
    magic, _, subtype = struct.unpack_from("<3I", data)
    need(magic == MAGIC, "no hardware container")
    need(subtype in GENERATIONS, f"cpusubtype {subtype}: H13 to H18 are read")
    return GENERATIONS[subtype]


def sections(data):
    """(name, bytes) of every section."""
    (commands,) = struct.unpack_from("<I", data, 16)
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
                yield name, data[offset:offset + size_of] if offset else b""
        at += size


class Task:
    """The words of one task: header, registers, and the BAR of those that an address packet wrote."""

    def __init__(self, generation, header):
        self.generation, self.header = generation, header
        self.registers, self.bars = {}, {}
        self.column = min(("h13", "h14", "h15", "h16", "h17", "h18").index(generation), 3)

    def get(self, name, index=0):
        address, low, width = PLACES[name][self.column]
        if address + 4 * index not in self.registers:
            return 0 if self.generation == "h13" else PLACES[name][4]
        return self.registers[address + 4 * index] >> low & ((1 << width) - 1)

    def engine_word(self):
        """log2 of the number of engines plus 1, from the header."""
        return self.header[8] >> 24 & 7 if self.generation == "h13" else self.header[-1] >> 16 & 7

    def bar(self, which):
        """BAR of the kernel, of source 1 or of the result; None if there is none."""
        if self.generation == "h13":
            word, low = {"kernel": (9, 0), "source": (8, 0), "result": (8, 12)}[which]
            return self.header[word] >> low & 31 if self.header[word] >> (low + 5) & 1 else None
        return self.bars.get(PACKETS[self.generation][("kernel", "source", "result").index(which)])

    def kernel_base(self):
        return 0 if self.generation == "h13" else self.registers.get(PACKETS[self.generation][0], 0)


def tasks_h13(text):
    """Every task, by the chain of next offsets."""
    at, seen = 0, set()
    words = HEADER_WORDS["h13"]
    while True:
        need(at not in seen and at + 4 * words <= len(text), f"the chain leaves the text at 0x{at:x}")
        seen.add(at)
        task = Task("h13", struct.unpack_from(f"<{words}I", text, at))
        word = at + 4 * words + (4 if task.header[9] & 3 == 3 else 0)
        end = word + 4 * 147
        while word < min(end, len(text)) and len(task.registers) != 140:
            record, = struct.unpack_from("<I", text, word)
            count, address = (record >> 26) + 1, record & 0x3FFFFFF
            if record == 0 and task.registers:  # padding between tasks
                break
            word += 4
            need(word + 4 * count <= len(text), "a record ends behind the text")
            for i, value in enumerate(struct.unpack_from(f"<{count}I", text, word)):
                task.registers[address + 4 * i] = value
            word += 4 * count
        yield task
        if task.header[7] == 0:
            need(task.header[0] >> 25 & 1, "the last task does not end the network")
            return
        at = task.header[7]


def tasks_later(text, generation):
    """Every task, by its own size, each at the next 16 bytes."""
    text = struct.unpack(f"<{len(text) // 4}I", text[:len(text) // 4 * 4])
    words, at, number = HEADER_WORDS[generation], 0, 0
    while at < len(text):
        size = text[at] >> 16 & 0x7FF
        if size == 0:  # the frame, or zeros between tasks
            at += 4
            continue
        need(size >= words and at + size <= len(text), f"task {number} ends behind the text")
        task = Task(generation, text[at:at + words])
        need(task.header[0] & 0xFFFF == number, f"task {number} has number {task.header[0] & 0xFFFF}")
        word = at + words + (1 if task.header[-1] & 3 == 3 else 0)
        while word < at + size:
            record = text[word]
            sparse, packet = record >> 31, record >> 29 & 1
            mask = record >> 15 & 0xFFFF
            count = 1 + mask.bit_count() if sparse else (record >> 15 & 63) + 1
            need(word + 1 + count <= at + size, f"a record of task {number} ends behind it")
            need(sparse or packet or record >> 21 & 0x3FF == 0, f"task {number}: no known record 0x{record:x}")
            steps = [0] + [bit + 1 for bit in range(16) if mask >> bit & 1] if sparse else range(count)
            for step, value in zip(steps, text[word + 1:word + 1 + count]):
                address = 4 * ((record & 0x7FFF) + step)
                task.registers[address] = value
                if packet and not sparse:
                    task.bars[address] = record >> 21 & 0xFF
            word += 1 + count
        yield task
        at = (at + size + 3) // 4 * 4
        number += 1
    need(number > 0, "no task")


def streams_of(task, constants):
    """The engines with a stream. A stream in the constants must end inside them."""
    streams = [i for i in range(16) if task.get("stream on", i)]
    need(streams or task.generation != "h13", "a kernel stream without an engine")
    for i in streams:
        base, length = task.kernel_base() + task.get("stream base", i), task.get("stream size", i)
        need(base % 64 == 0 and length % 64 == 0 and length > 0, f"stream {i}: {base}, {length} bytes")
        inside = task.bar("kernel") != CONSTANTS.get(task.generation, 4) or base + length <= len(constants)
        need(inside, f"stream {i} ends at {base + length}, the constants have {len(constants)} bytes")
    return streams


def describe(task, constants):
    kind = task.get("kind")
    need(kind in TASK_TYPES, f"task type {kind}")
    size = lambda side: "x".join(str(task.get(f"{side} {axis}")) for axis in ("channels", "height", "width"))
    text = f"{TASK_TYPES[kind]}: {size('in')} to {size('out')}"
    if kind == 0:
        text += f", {NEURAL.get(task.get('operation'), '?')}{NONLINEAR.get(task.get('nonlinear'), '?')}"
        if not task.get("no kernel"):
            text += f", kernel {task.get('kernel height')}x{task.get('kernel width')}"
            text += f", stride {task.get('stride y')}x{task.get('stride x')}"
            text += f", groups {task.get('groups')}, lanes {1 << task.get('lanes')}, engines {1 << task.get('engines')}"
        need(task.engine_word() == task.get("engines") + 1, "header and task disagree about the engines")
    elif kind in (3, 6):
        text += f", {PLANAR.get(task.get('planar'), '?')}{', relu' if task.get('planar relu') else ''}"
    source = "L2" if task.get("source type") == 0 else f"bar {task.bar('source')}"
    result = "L2" if task.get("result type") == 0 else f"bar {task.bar('result')}"
    text += f"; {source} -> {result}"
    if task.bar("kernel") is not None:
        text += f"; {len(streams_of(task, constants))} streams of bar {task.bar('kernel')}"
    return text


def read(path):
    data = open(path, "rb").read()
    generation = generation_of(data)
    found = list(sections(data))
    text = next((body for name, body in found if name == "__text"), b"")
    constants = next((body for name, body in found if name == "__const" and body), b"")
    need(text, "no __text section")
    tasks = tasks_h13(text) if generation == "h13" else tasks_later(text, generation)
    return [describe(task, constants) for task in tasks]


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
