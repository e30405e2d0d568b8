#!/usr/bin/env python3
"""The pages of the tool in a headless Chromium without network.

usage: pages_test.py ANECHECK [--pictures FOLDER]

Checks every page. It writes nothing to the console, makes no request, does not overflow
horizontally at 400 and 1600 pixels, shows choices in full, and has text with a contrast of AA in
light and dark. People with any form of colour blindness can tell its colours of states and series
apart. Every link leads somewhere, and every filter, button and fold works. The matrix at its full
size answers with tasks below 100 ms of processor time and is printed whole. Exit code 77: there is
no browser.
"""

import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser_pipe import Browser, find_browser  # noqa: E402
from page_tasks import ACTIONS, check_paper, check_work  # noqa: E402

LAWS = (pathlib.Path(__file__).resolve().parent / "page_laws.js").read_text()
WIDTHS = (400, 1600)
SCHEMES = ("light", "dark")
FINDING_PAGES = 4

OPEN_ALL = "for (const fold of document.querySelectorAll('details')) fold.open = true"
# Sets each value of each filter in turn; the page must still state how many rows it shows.
USE_FILTERS = """(async () => {
  let used = 0;
  for (const field of document.querySelectorAll("nav select, nav input")) {
    const values = field.tagName === "SELECT" ? [...field.options].map((option) => option.value)
      : field.type === "checkbox" ? [true, false] : ["conv", "no such text", ""];
    for (const value of values.slice(0, 40)) {
      if (field.type === "checkbox") field.checked = value; else field.value = value;
      field.dispatchEvent(new Event("input", {bubbles: true}));
      field.dispatchEvent(new Event("change", {bubbles: true}));
      ++used;
    }
    if (field.tagName === "SELECT") {
      field.value = "";
      field.dispatchEvent(new Event("change", {bubbles: true}));
    }
  }
  await new Promise((done) => setTimeout(done, 300));
  return used;
})()"""
PRESS_BUTTONS = """(() => {
  const buttons = [...document.querySelectorAll("button")].filter((button) => button.checkVisibility());
  for (const button of buttons.slice(0, 60)) button.click();
  return buttons.length;
})()"""
LINKS = """[...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href"))"""


def run(tool, *arguments, out=None):
    """Runs the tool; new findings (1) are no failure."""
    result = subprocess.run([tool, *arguments], capture_output=True, text=True)
    if result.returncode > 1:
        sys.exit(f"{' '.join(arguments)}: exit code {result.returncode}: {result.stderr}")
    if out:
        out.write_text(result.stdout)


def make_pages(tool, folder):
    database = str(folder / "results.sqlite")
    run(tool, "run", "--cases", "150", "--seed", "7", "--targets", "h13", "--db", database)
    run(tool, "run", "--cases", "60", "--seed", "3", "--targets", "h13", "--quirk", "all=off",
        "--fault", "slice-off-by-one,conv-bias-dropped", "--db", database)
    run(tool, "report", "--db", database, "--out", str(folder))
    run(tool, "matrix", "--db", database, "--format", "html", out=folder / "matrix.html")
    run(tool, "ops", "--format", "html", out=folder / "operations.html")
    run(tool, "power", "--cases", "100", "--fault", "conv-bias-dropped", "--no-magnitudes",
        "--clean-cases", "60", "--targets", "h13", "--out", str(folder))
    baseline = str(folder / "baseline.json")
    run(tool, "baseline", "record", "--targets", "h13", "--cases", "1", "--ops", "add,exp,softmax",
        "--out", baseline)
    run(tool, "trend", "--db", database, "--baseline", baseline, "--out", str(folder))
    pages = [folder / name for name in
             ("report.html", "matrix.html", "operations.html", "power.html", "trend.html")]
    findings = sorted((folder / "findings").iterdir())
    if not findings:
        sys.exit("the campaigns gave no finding")
    return pages + findings[:FINDING_PAGES], findings


def check_links(page, links, anchor_exists):
    for link in sorted(set(links)):
        path, _, fragment = link.partition("#")
        goal = (page.parent / urllib.parse.unquote(path)).resolve() if path else page
        if not goal.is_file():
            yield f"link to {link}: there is no such file"
        # A fragment with "=" is a setting of filters.
        elif fragment and "=" not in fragment and not (path or anchor_exists(fragment)):
            yield f"link to {link}: there is no such place"


def check_page(browser, page, pictures):
    for width in WIDTHS:
        for scheme in SCHEMES:
            browser.look(width, scheme)
            browser.open(page.as_uri())
            browser.run(LAWS)
            if browser.run("document.body.dataset.ready") != "true":
                yield f"{width} {scheme}: the page did not draw itself"
            yield from (f"{scheme}: {problem}" for problem in browser.run("pageLaws.alike()"))
            for opened in (False, True):
                for problem in browser.run("pageLaws.ofEveryPage()"):
                    yield f"{width} {scheme}{' opened' if opened else ''}: {problem}"
                if pictures and scheme == "light" and not opened:
                    browser.picture(pictures / f"{page.stem}-{width}.png")
                browser.run(OPEN_ALL)
    yield from check_links(page, browser.run(LINKS), lambda name: browser.run(
        f"document.getElementById({name!r}) !== null"))
    fields = browser.run("document.querySelectorAll('nav select, nav input').length")
    if fields and browser.run(USE_FILTERS) < fields:
        yield "a filter has no values"
    browser.run(PRESS_BUTTONS)


def check_finding_link(browser, folder, finding):
    """The way from the report to a finding's page and back, by clicks."""
    browser.open((folder / "report.html").as_uri() + f"#finding={finding.stem}")
    there = browser.run("document.querySelector('details[open] a[href^=\"findings/\"]').href")
    if there != finding.as_uri():
        yield f"the report links {there}"
    browser.open(there)
    back = browser.run("document.querySelector('a[href^=\"../report.html\"]').href")
    browser.open(back)
    if browser.run("document.querySelectorAll('details.finding[open]').length") != 1:
        yield f"{back} opens no finding"


def main(arguments):
    program = find_browser()
    if program is None:
        print("chromium is missing")
        return 77
    pictures = pathlib.Path(arguments[3]) if arguments[2:3] == ["--pictures"] else None
    with tempfile.TemporaryDirectory(prefix="anecheck-pages-", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name).resolve()
        pages, findings = make_pages(arguments[1], folder)
        browser = Browser(program, folder / "profile")
        wrong = 0
        try:
            checks = [(page, check_page(browser, page, pictures)) for page in pages]
            checks.append((findings[0], check_finding_link(browser, folder, findings[0])))
            checks.append((folder / "matrix.html", check_work(browser, folder / "matrix.html", ACTIONS, (400, 1600))))
            checks.append((folder / "matrix.html", check_paper(browser, folder / "matrix.html")))
            # Shows that the test can fail: a browser that reports nothing would pass all pages.
            (folder / "bad.html").write_text(
                "<body data-ready=true><nav><a href=nowhere.html>x</a></nav>"
                "<p style='width:3000px;color:#999;background:#fff'>pale</p>"
                "<select id=narrow style='width:9px'><option>long</select><script>absent()</script>")
            for page, problems in checks:
                for problem in list(problems) + browser.problems:
                    wrong += 1
                    print(f"{page.name}: {problem}")
                browser.problems.clear()
            seen = list(check_page(browser, folder / "bad.html", None)) + browser.problems
            seen += browser.run("pageLaws.alike([['#dcd0e6', '#cfe3f2']])")
            whole = "for (let i = 0; i < 3e4; ++i) document.body.append(document.createElement('p'));"
            (folder / "slow.html").write_text((folder / "matrix.html").read_text().replace(
                "</body>", f"<script>{whole}</script></body>"))
            seen += check_work(browser, folder / "slow.html", {"search": whole}, (400,))
            for what in ("px wide", "contrast", "narrow is cut", "no such file", "absent", "to load makes",
                         "to search makes", "to deuteranopia"):
                if not any(what in problem for problem in seen):
                    wrong += 1
                    print(f"the check itself is blind: {what}")
        finally:
            browser.close()
        print(f"{len(pages)} pages, {wrong} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
