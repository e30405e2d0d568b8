"""The long tasks of the matrix page at its full size. Used by pages_test.py.

A task counts by the processor time of the page's own thread, where the browser gives it, so that other
programs on the machine do not count; the page's PerformanceObserver sees wall time.
"""

import pathlib
import time

# Twice the long task of the Long Tasks API: a thread's own time grows too where it shares core and caches.
LONG_MICROSECONDS = 100_000

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
    # Waits by the clock: the page itself draws after a pause of the one who types.
    time.sleep(0.4)
    while browser.run("document.body.dataset.drawn") != "true":
        time.sleep(0.02)  # Waits by the clock: between two questions.
    browser.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")


def longest_task(browser, act):
    """Milliseconds of the longest task of the page while `act` runs."""
    events = browser.trace(act)
    main = {(event["pid"], event["tid"]) for event in events
            if event.get("name") == "thread_name" and event["args"]["name"] == "CrRendererMain"}
    tasks = [event.get("tdur", event["dur"]) for event in events
             if event.get("name") == "RunTask" and (event["pid"], event["tid"]) in main
             and "dur" in event]
    return max(tasks, default=0) / 1000


def check_long_tasks(browser, page, widths=(400, 1600), attempts=4):
    """Problems: actions that make the page pause at every try."""
    def load():
        browser.open(page.as_uri())
        settle(browser)

    def use(script):
        browser.run(f"{{ {script} }}")
        settle(browser)

    steps = {"load": load}
    for name, script in ACTIONS.items():
        steps[name] = lambda script=script: use(script)
    for width in widths:
        browser.look(width, "light")
        best = {name: float("inf") for name in steps}
        for _ in range(attempts):
            for name, act in steps.items():
                best[name] = min(best[name], longest_task(browser, act))
            if max(best.values()) * 1000 < LONG_MICROSECONDS:
                break
        longest = max(best, key=best.get)
        print(f"{page.name} at {width}: the longest task, to {longest}: {best[longest]:.0f} ms")
        for name, milliseconds in best.items():
            if milliseconds == 0:
                yield f"{width}: to {name} is not measured"
            if milliseconds * 1000 >= LONG_MICROSECONDS:
                yield f"{width}: to {name} takes a task of {milliseconds:.0f} ms"


def check_paper(browser, page):
    """Every row, target and route stands on paper, and nowhere else."""
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
