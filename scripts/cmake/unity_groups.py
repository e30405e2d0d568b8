#!/usr/bin/env python3
"""Determines which sources of a target may be compiled as one.

usage: unity_groups.py LIST OUT PROJECT

LIST has a line "target;source;source..." for each target. OUT becomes a file for CMake that sets
UNITY_GROUP of the sources. Two sources share a group unless a name would have two meanings: one source
declares it privately (in an unnamed namespace, as static, a macro or an alias), and the other source, or a
header that only the other source includes, declares it too, in the same namespace. The script parses only the
heads of declarations. An overlooked collision is a compile error.
"""

import pathlib
import re
import sys

GROUP_BYTES = 90_000  # of one group; a larger group saves little and is compiled by one processor alone

COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'', re.S)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b\s*([\w:]*)")
TEMPLATE = re.compile(r"^template\s*<[^{;]*?>\s*(?=struct|class|using|enum)")
TYPE = re.compile(r"^(?:struct|class|union|enum(?:\s+class|\s+struct)?)\s+(\w+)")
ALIAS = re.compile(r"^using\s+(\w+)\s*=|^using\s+[\w:]+::(\w+)$")
LAST_WORD = re.compile(r"(\w+)\s*$")
NOT_NAMES = {"operator", "static_assert", "requires", "alignas", "decltype", "noexcept", "if"}


class File:
    """The declarations of a file: `own`, which no other file may see, and `shared`. Both map
    (namespace, name) to whether it is a function. `hidden` are the keys that its aliases hide."""

    def __init__(self, path):
        text = path.read_text()
        self.size = len(text)
        self.includes = re.findall(r'^#include "([^"]+)"', text, re.M)
        self.own, self.shared, self.hidden = {}, {}, set()
        # Sources with names that macros make, and sources that are compiled once for each target.
        self.stands_alone = bool(
            re.search(r"^using (?:enum|namespace)\b|hwy/foreach_target\.h", text, re.M))
        text = COMMENT_OR_TEXT.sub(lambda m: " " if m.group(0)[0] == "/" else '""', text)
        for macro in re.findall(r"^#\s*define\s+(\w+)", text, re.M):
            if not re.search(rf"^#\s*undef\s+{macro}\b", text, re.M):
                self.own["", macro] = False
        self._read(re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M))

    def _read(self, text):
        scopes = []  # of each open brace: its namespace, or None inside a declaration
        statement, parens = "", 0
        for token in re.findall(r"[{}();]|[^{}();]+", text):
            inside = bool(scopes) and scopes[-1] is None
            if token == "{" and not parens:
                match = None if inside else NAMESPACE.match(statement.strip())
                if match:
                    outer = scopes[-1] if scopes else ""
                    scopes.append(f"{outer}::{match.group(1) or '(own)'}")
                else:
                    if not inside:
                        self._declare(statement, scopes)
                    scopes.append(None)
                statement = ""
            elif token in ("}", ";") and not parens:
                if token == "}" and scopes:
                    scopes.pop()
                elif not inside:
                    self._declare(statement, scopes)
                statement = ""
            elif not inside:
                parens += {"(": 1, ")": -1}.get(token, 0)
                statement += token

    def _declare(self, statement, scopes):
        statement = re.sub(r"\[\[[^\]]*\]\]\s*", "", statement.strip())
        statement = TEMPLATE.sub("", statement)
        alias, kind = ALIAS.match(statement), TYPE.match(statement)
        function = False
        if alias or kind:
            name = (alias and (alias.group(1) or alias.group(2))) or kind.group(1)
        else:
            head = re.split(r"[(=\[{]", re.sub(r"^template\s*<", "", statement), maxsplit=1)[0]
            word = LAST_WORD.search(head)
            if not word or word.group(1) in NOT_NAMES:
                return
            name, function = word.group(1), "(" in statement
        scope = scopes[-1] if scopes else ""
        own = scope.endswith("::(own)") or alias or re.match(r"static\b", statement) or (
            not function and not kind and re.match(r"(?:constexpr|const)\b", statement))
        key = scope.removesuffix("::(own)"), name
        (self.own if own else self.shared)[key] = function
        if alias:  # it hides the name in its namespace and in those around it
            parts = key[0].split("::")
            self.hidden |= {("::".join(parts[:count]), name) for count in range(1, len(parts) + 1)}


class Project:
    def __init__(self, root):
        self.root, self.files, self.closures = root, {}, {}

    def file(self, path):
        if path not in self.files:
            self.files[path] = File(path)
        return self.files[path]

    def headers(self, path):
        """The headers of the project that a file includes, also through others."""
        if path not in self.closures:
            self.closures[path] = closure = set()
            for name in self.file(path).includes:
                header = self.root / name
                if header.exists() and header not in closure:
                    closure |= {header} | self.headers(header)
        return self.closures[path]

    def sees(self, one, other):
        """Names that `one` declares privately and that would have another meaning beside `other`."""
        own = self.file(one).own
        # Hidden names count in every header, also in one that both include.
        hidden = self.file(one).hidden
        if any(not hidden.isdisjoint(names) for header in self.headers(other)
               for names in (self.file(header).own, self.file(header).shared)):
            return True
        added = [self.file(other)] + [self.file(header)
                                      for header in self.headers(other) - self.headers(one)]
        return any(key in own and (file is added[0] or not (own[key] and function))
                   for file in added
                   for names in (file.own, file.shared) for key, function in names.items())

    def groups(self, sources):
        """Lists of sources that may be compiled as one, in order."""
        groups = []  # [sources, bytes]
        for source in sources:
            if self.file(source).stands_alone:
                continue
            size = self.file(source).size
            for group in groups:
                if group[1] + size <= GROUP_BYTES and not any(
                        self.sees(source, other) or self.sees(other, source) for other in group[0]):
                    group[0].append(source)
                    group[1] += size
                    break
            else:
                groups.append([[source], size])
        return [group[0] for group in groups if len(group[0]) > 1]


def main():
    list_path, out_path, root = (pathlib.Path(argument) for argument in sys.argv[1:4])
    project = Project(root)
    # Sources made in the build folder appear after the first configuration.
    build = out_path.resolve().parent.parent
    lines = []
    for line in list_path.read_text().splitlines():
        target, *names = line.split(";")
        sources = [path for path in map(pathlib.Path, names)
                   if path.suffix == ".cc" and not path.is_relative_to(build)]
        groups = project.groups(sources)
        if groups:
            lines.append(f"set_target_properties({target} PROPERTIES"
                         " UNITY_BUILD ON UNITY_BUILD_MODE GROUP)")
        for number, group in enumerate(groups):
            lines.append("set_source_files_properties({} TARGET_DIRECTORY {} PROPERTIES"
                         " UNITY_GROUP {:02})".format(" ".join(f'"{path}"' for path in group),
                                                      target, number))
    out_path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
