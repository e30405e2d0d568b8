#!/usr/bin/env python3
"""The pages of a lab that does not exist (scripts/make-fleet), in a headless Chromium without network.

usage: site_test.py ANECHECK [--pictures FOLDER] [--axe FILE] [--wide]

The fleet's pages are written twice and must have the same bytes. Every page stays below 300 KB, names the
simulated engine, has no broken link, and has the properties of page_laws.js at both widths. The pages
answer ten questions of a lab, each by at most two clicks from the front page. Exit code 77: there is no
browser. --axe also checks the pages by axe.min.js of the npm package axe-core, which is not in this
repository. --wide checks the pages of a lab of every target and operation instead: their size, and the
number of elements that a browser draws to open and use them.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser_pipe import Browser, find_browser  # noqa: E402
from page_tasks import check_work  # noqa: E402

FLEET = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "make-fleet"
LAWS = (pathlib.Path(__file__).resolve().parent / "page_laws.js").read_text()
MOST_BYTES = 300_000
TEXT = "document.querySelector('main').innerText"
# Shows all parts: parts that are not on the screen are not laid out and have no text.
SHOW_ALL = """for (const part of document.querySelectorAll('.part')) part.style.contentVisibility = 'visible';
for (const fold of document.querySelectorAll('details')) fold.open = true"""
# A question that a lab asks, the link texts to click from the front page, and a pattern of the
# answer.
QUESTIONS = [
    ("Is anything broken now?", [], "1 undocumented finding"),
    ("Which operations got worse since the last date?", [], r"slice_by_size\s+worse\s+A14, M1 \(h13\)"),
    ("What was repaired?", [], r"conv\s+better\s+A17 Pro \(h16\)"),
    ("How much of a class is right on a chip?", [], r"A19 \(h18\)"),
    ("Which parts of campaigns are missing?", [], r"seed 15 lacks shard 2 of 2"),
    ("How did M1 develop?", ["A14, M1 (h13)"], r"Per cent of the attested operations that are right"),
    ("Which findings are open on M1, and are they documented?", ["A14, M1 (h13)"],
     r"D03: small terms are lost"),
    ("Since when is slice_by_size wrong, and on which chips?", ["slice_by_size"],
     r"History[\s\S]*2026-03-30"),
    ("What do the rules say of it, by which source?", ["slice_by_size"], r"Rules[\s\S]*facts/netlist_layers\.csv"),
    ("How do I run a finding again?", ["20 of"], r"anecheck replay f"),
]


def run(*arguments):
    result = subprocess.run([str(word) for word in arguments], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{arguments}: exit code {result.returncode}: {result.stderr}")


def read_all(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def check_files(site):
    """Weights, links and marks of every page, without a browser."""
    for name, content in site.items():
        if not name.endswith(".html"):
            continue
        text = content.decode()
        if len(content) > MOST_BYTES:
            yield f"{name}: {len(content)} bytes"
        if "<strong>SIMULATED</strong>" not in text:
            yield f"{name}: does not say that it is simulated"
        place = pathlib.PurePosixPath(name).parent
        for link in set(re.findall(r'<a [^>]*href="([^"#]*)', text)):
            goal = pathlib.PurePosixPath(re.sub(r"[^/]+/\.\./", "", str(place / link)))
            if link and str(goal) not in site:
                yield f"{name}: link to {link}"


def check_data(site):
    front = json.loads(site["index.json"])
    if len(front["runs"]) != 40:
        yield f"{len(front['runs'])} runs, and a copy of one counts once"
    if len(front["chips"]) != 8 or any(chip["provenance"] != "simulated" for chip in front["chips"]):
        yield "the fleet has eight simulated chips"
    if front["missing_shards"] != [{"seed": "15", "shards": 2, "missing": [2]}]:
        yield f"missing shards: {front['missing_shards']}"
    signatures = [finding["signature"] for finding in front["findings"]]
    if len(signatures) != len(set(signatures)):
        yield "a finding that several dates met stands more than once"
    worse = [(change["op"], change["chip"]) for change in front["changes"]
             if change["direction"] == "worse"]
    if worse != [("slice_by_size", "h13-simulated")]:
        yield f"worse: {worse}"
    gone = {finding["op"] for finding in front["findings"] if finding["gone"] and finding["new"]}
    if gone != {"conv"}:
        yield f"repaired: {gone}"
    if front["runs"][0]["name"] != "h11 of 2026-02-02":
        yield f"the label of a run is not its name: {front['runs'][0]['name']}"


AXE = """axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations.map(
  ({id, nodes}) => `axe ${id}: ${nodes[0].html.slice(0, 120)} (${nodes.length} places)`))"""


def check_page(browser, page, pictures, axe):
    for width in (420, 1400):
        for scheme in ("light", "dark"):
            browser.look(width, scheme)
            browser.open(page.as_uri())
            browser.run(LAWS)
            browser.run(SHOW_ALL)
            for problem in browser.run("pageLaws.ofEveryPage()"):
                yield f"{page.name} {width} {scheme}: {problem}"
            if pictures and scheme == "light":
                browser.picture(pictures / f"{page.stem}-{width}.png")
            if axe:
                browser.run(axe)
                yield from (f"{page.name} {width} {scheme}: {problem}" for problem in browser.run(AXE))
    for problem in browser.problems:
        yield f"{page.name}: {problem}"
    browser.problems.clear()


def check_questions(browser, site):
    for question, clicks, answer in QUESTIONS:
        browser.open((site / "index.html").as_uri())
        for text in clicks:
            href = browser.run("[...document.querySelectorAll('main a')].find("
                               f"(link) => link.textContent.startsWith({text!r}))?.href ?? ''")
            if not href:
                yield f"{question}: no link {text}"
                break
            browser.open(href)
        browser.run(SHOW_ALL)
        if not re.search(answer, browser.run(TEXT)):
            yield f"{question}: no answer"


def check_scripts(browser, site):
    """The comparison and the list of operations by their addresses and fields."""
    browser.open((site / "compare.html").as_uri() + "#chip=h13-simulated")
    if not re.search(r"slice_by_size\s+worse", browser.run(TEXT)):
        yield "compare: two dates of a chip"
    browser.run("document.getElementById('side-a').value = 0;"
                "document.getElementById('side-a').dispatchEvent(new Event('change'))")
    if "a=h18-simulated&b=" not in browser.run("location.hash"):
        yield f"compare: the address does not follow: {browser.run('location.hash')}"
    browser.open((site / "compare.html").as_uri() + "#a=h16-simulated&b=h16-simulated&ra=mil&rb=netlist")
    if not re.search(r"tried on both sides: [1-9]", browser.run(TEXT)):
        yield "compare: two routes of a chip"
    browser.open((site / "compare.html").as_uri())
    if int(browser.run("document.body.dataset.rows")) < 1:
        yield "compare: without an address it opens at two dates that do not differ"
    browser.open((site / "compare.html").as_uri() + "#chip=h18-simulated")
    if "None is listed" not in browser.run(TEXT):
        yield "compare: an empty list does not say so"
    browser.open((site / "operations.html").as_uri() + "#mark=wrong")
    if browser.run("document.body.dataset.rows") != "1":
        yield f"operations: {browser.run('document.body.dataset.rows')} are broken on some chip"
    browser.open((site / "operations.html").as_uri() + "#search=normalization")
    if not 3 < int(browser.run("document.body.dataset.rows")) < 20:
        yield "operations: search by class"


# A visitor's action on a page, by the page's name.
USES = {
    "operations.html": {
        "search": "const node = document.getElementById('filter-search'); node.value = 'conv';"
                  "node.dispatchEvent(new Event('input'));"},
    "compare.html": {
        "choose a side": "const node = document.getElementById('side-a'); node.value = 7;"
                         "node.dispatchEvent(new Event('change'));"},
}


def settle(browser):
    # Longer than the pause after which a search begins.
    browser.run("new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done, 0)), 200))")


def check_wide(tool, folder):
    """Problems of the pages of a lab of every target and operation; 77 as the second value if there is no browser."""
    run(FLEET, tool, folder / "fleet", "--wide")
    run(tool, "site", *sorted((folder / "fleet").glob("*.sqlite")), "--out", folder / "site")
    site = read_all(folder / "site")
    problems = list(check_files(site))
    front = json.loads(site["index.json"])
    pages = sum(name.startswith("ops/") and name.endswith(".html") for name in site)
    if len(front["chips"]) != 30 or len(front["runs"]) != 40 or pages < 242:
        problems.append(f"{len(front['chips'])} chips, {len(front['runs'])} runs, {pages} operations")
    program = find_browser()
    if program is None:
        return problems, 77
    browser = Browser(program, folder / "profile")
    try:
        for page in pages_of(folder / "site"):
            problems += check_work(browser, page, USES.get(page.name, {}), (420, 1400), settle)
        problems += browser.problems
    finally:
        browser.close()
    return problems, 0


def report(problems, files, code):
    for problem in problems:
        print(problem)
    print(f"{files} files, {len(problems)} problems")
    return 1 if problems else code


def pages_of(site):
    finding = min((site / "findings").glob("*.html"))
    return [site / "index.html", site / "operations.html", site / "compare.html",
            site / "chips" / "h13-simulated.html", site / "ops" / "slice_by_size.html",
            site / "ops" / "conv.html", finding]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--axe", type=pathlib.Path)
    parser.add_argument("--wide", action="store_true")
    flags = parser.parse_args(arguments)
    if flags.pictures:
        flags.pictures.mkdir(parents=True, exist_ok=True)
    axe = flags.axe.read_text() if flags.axe else None
    with tempfile.TemporaryDirectory(prefix="anecheck-site-", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name).resolve()
        tool = flags.tool.resolve()
        if flags.wide:
            problems, code = check_wide(tool, folder)
            return report(problems, "many", code)
        run(FLEET, tool, folder / "fleet", "--cases", "60")
        files = sorted((folder / "fleet").glob("*.sqlite"))
        for out, given in (("site", files), ("again", reversed(files))):
            run(tool, "site", *given, "--out", folder / out)
        site = read_all(folder / "site")
        problems = list(check_files(site)) + list(check_data(site))
        if site != read_all(folder / "again"):
            problems.append("the same files in another order make other pages")
        program = find_browser()
        if program is not None:
            browser = Browser(program, folder / "profile")
            try:
                for page in pages_of(folder / "site"):
                    problems += check_page(browser, page, flags.pictures, axe)
                problems += check_questions(browser, folder / "site")
                problems += check_scripts(browser, folder / "site")
                problems += browser.problems
            finally:
                browser.close()
        return report(problems, len(site), 77 if program is None else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
