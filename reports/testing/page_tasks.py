"""The work of pages in the browser, counted and timed. Used by pages_test.py, site_test.py and scripts/page-times.

Tests count elements: those whose style the browser computed and the boxes that it laid out. The numbers differ
between machines by a few per cent, because they depend on the pauses of the parser. Times serve measurements only.
"""

import pathlib
import time

# Styled elements and laid-out boxes. Opening the largest page takes 9,000 of them; drawing the
# whole grid of the matrix takes 60,000.
MOST_WORK_TO_LOAD = 12_000
MOST_WORK_TO_USE = 6_000

ACTIONS = {
    "choose a filter": "const node = document.getElementById('filter-show'); node.value = 'unreached';"
                       "node.dispatchEvent(new Event('change'));",
    "search": "const node = document.getElementById('filter-search'); node.value = 'conv';"
              "node.dispatchEvent(new Event('input'));",
    "clear the filters": "document.getElementById('filter-clear').click();",
    "scroll far": "document.querySelector('.tall').scrollTo(900, 4000);",
    "open a cell": "document.querySelector('#cells td').click();",
    "close it": "document.getElementById('cell').close();",
    "switch the colours": "document.getElementById('theme').click();",
    "move by keys": "const node = document.querySelector('#cells td[tabindex=\"0\"]'); node.focus();"
                    "node.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}));",
}


def settle(browser):
    """Waits until the table is drawn and the work after a filter's pause has begun."""
    # Waits by the clock: the page draws after a pause in typing.
    time.sleep(0.4)
    while browser.run("document.body.dataset.drawn") != "true":
        time.sleep(0.02)  # Waits by the clock: between two questions.
    browser.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")


def main_thread_events(browser, act):
    """The events of the page's main thread while `act` runs."""
    events = browser.trace(act)
    main = {(event["pid"], event["tid"]) for event in events
            if event.get("name") == "thread_name" and event["args"]["name"] == "CrRendererMain"}
    return [event for event in events if (event["pid"], event["tid"]) in main]


def longest_task(browser, act):
    """Processor milliseconds of the longest task of the page while `act` runs."""
    return max((event.get("tdur", event["dur"]) for event in main_thread_events(browser, act)
                if event.get("name") == "RunTask" and "dur" in event), default=0) / 1000


def work_of(browser, act):
    """The elements that the browser styled and the boxes that it laid out while `act` ran."""
    work = 0
    for event in main_thread_events(browser, act):
        if event["name"] == "UpdateLayoutTree":
            work += event["args"].get("elementCount", 0)
        elif event["name"] == "Layout":
            work += event["args"].get("beginData", {}).get("dirtyObjects", 0)
    return work


def steps_of(browser, page, actions, wait):
    """Functions by name: one that opens the page, and one for each script that uses it."""
    def load():
        browser.open(page.as_uri())
        wait(browser)

    def use(script):
        browser.run(f"{{ {script} }}")
        wait(browser)

    return {"load": load} | {name: lambda script=script: use(script) for name, script in actions.items()}


def check_work(browser, page, actions, widths, wait=settle):
    """Problems: steps that make the browser style and lay out more than a page may."""
    for width in widths:
        browser.look(width, "light")
        for name, act in steps_of(browser, page, actions, wait).items():
            work = work_of(browser, act)
            most = MOST_WORK_TO_LOAD if name == "load" else MOST_WORK_TO_USE
            print(f"{page.name} at {width}: {work} elements and boxes, to {name}")
            if work == 0:
                yield f"{width}: to {name} is not counted"
            if work > most:
                yield f"{width}: to {name} makes the browser draw {work} elements and boxes, of at most {most}"


def check_paper(browser, page):
    """Problems: the print must show every row, target and route, and not the grid or the filters."""
    browser.look(1600, "light")
    browser.open(page.as_uri())
    settle(browser)
    cells = browser.run("data.ops.length * data.targets.length * data.routes.length")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    printed = browser.run("document.querySelectorAll('#paper td').length")
    if printed != cells:
        yield f"{printed} cells on paper of {cells}"
    browser.call("Emulation.setEmulatedMedia", media="print")
    for problem in browser.run("""(() => {
      const wrong = [];
      const width = document.querySelector('#paper').clientWidth;
      for (const table of document.querySelectorAll('#paper table')) {
        if (table.offsetWidth > width) wrong.push(`a part is ${table.offsetWidth} of ${width} px wide`);
      }
      if (document.querySelector('#cells').checkVisibility()) wrong.push('the grid is printed as well');
      if (document.querySelector('.bar').checkVisibility()) wrong.push('the filters are printed');
      return wrong;
    })()"""):
        yield problem
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.run("dispatchEvent(new Event('afterprint'))")
    if browser.run("document.querySelectorAll('#paper td').length") != 0:
        yield "the printed page keeps its content"
    if browser.pdf_pages() < 10:
        yield "the print has less than 10 pages"
