"""A small reader of network descriptions (property lists) with planted bugs, each in a function whose
name begins with bug_. It refuses a file with ValueError."""
import re

import anecheck_fuzz

_TOKEN = re.compile(rb"<(/?)([a-z]+)(/?)>")


class Refusal(Exception):
    pass


def bug_text_is_no_utf8(data):
    return data.decode("utf-8")


def bug_depth_without_limit(tokens, at):
    """Arrays and dictionaries within each other."""
    items = []
    while at < len(tokens):
        kind, value = tokens[at]
        at += 1
        if kind == "open":
            inner, at = bug_depth_without_limit(tokens, at)
            items.append((value, inner))
        elif kind == "close":
            return items, at
        else:
            items.append((kind, value))
    return items, at


def bug_number_is_infinite(text):
    return int(float(text))


def bug_number_is_none(text):
    return int(text.strip() or "0", 10)


def bug_key_without_value(pairs):
    return {pairs[i][1]: pairs[i + 1] for i in range(0, len(pairs), 2)}


def bug_networks_are_missing(top):
    return top["Networks"]


def bug_version_without_dots(text):
    return text.split(".")[1]


def tokens_of(data):
    tokens, last, name = [], 0, None
    for match in _TOKEN.finditer(data):
        closes, tag, empty = match.group(1), match.group(2).decode(), match.group(3)
        text = data[last:match.start()]
        last = match.end()
        if tag in ("dict", "array"):
            if not empty:
                tokens.append(("close", tag) if closes else ("open", tag))
        elif tag in ("true", "false"):
            tokens.append((tag, None))
        elif tag in ("key", "string", "integer", "real"):
            if not closes:
                name = tag
            elif name == tag:
                tokens.append((tag, text))
    return tokens


def parse(data):
    if not data.startswith(b"<?xml"):
        raise Refusal("no property list")
    start = data.find(b"<plist")
    if start < 0:
        raise Refusal("no plist")
    tokens = tokens_of(data[start:])
    values = []
    for kind, text in tokens:
        if kind in ("key", "string"):
            values.append((kind, bug_text_is_no_utf8(text)))
        elif kind == "integer":
            values.append((kind, bug_number_is_none(text.decode("latin-1"))))
        elif kind == "real":
            if not re.fullmatch(rb"[-+0-9.eEinfa]+", text):
                raise Refusal("no number")
            try:
                float(text)
            except ValueError as error:
                raise Refusal("no number") from error
            values.append((kind, bug_number_is_infinite(text)))
        else:
            values.append((kind, text))
    items, _ = bug_depth_without_limit(values, 0)
    if not items or items[0][0] != "dict":
        raise Refusal("no dictionary")
    top = bug_key_without_value(items[0][1])
    bug_networks_are_missing(top)
    version = top.get("Version")
    if version and version[0] == "string":
        bug_version_without_dots(version[1])
    return True


anecheck_fuzz.main(parse, refusals=(Refusal,))
