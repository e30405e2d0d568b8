"""A Chromium without network, driven through its debugging pipe. Used by pages_test.py."""

import json
import os
import shutil
import signal
import subprocess

CANDIDATES = ("chromium", "chromium-browser", "google-chrome",
              "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def find_browser():
    return next((path for name in CANDIDATES if (path := shutil.which(name))), None)


class Browser:
    """One tab. `problems` collects logs, exceptions and network requests of pages."""

    def __init__(self, program, profile):
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        def connect():
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        # Moves the pipe's ends away from descriptors 3 and 4 first, which they must become.
        to_read, to_write = (os.dup2(end, 40 + i) for i, end in enumerate((to_read, to_write)))
        self._process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}",
             "about:blank"],
            preexec_fn=connect, start_new_session=True, pass_fds=(3, 4, to_read, to_write), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._session = None
        self._loaded = False
        self.problems = []
        self._trace = []
        self._traced = True
        targets = self.call("Target.getTargets")["targetInfos"]
        tab = next(target for target in targets if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=tab["targetId"],
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        # Also ends the processes of its tabs, which would continue to write into the profile.
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _receive(self):
        while b"\0" not in self._buffer:
            part = os.read(self._read, 1 << 16)
            if not part:
                raise RuntimeError("the browser ended")
            self._buffer += part
        line, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(line)

    def _note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Tracing.dataCollected":
            self._trace += parameters["value"]
        elif method == "Tracing.tracingComplete":
            self._traced = True
        elif method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.consoleAPICalled":
            self.problems.append(f"console: {parameters['args']}")
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(
                f"exception: {details.get('exception', {}).get('description', details['text'])}")
        elif method == "Log.entryAdded":
            self.problems.append(f"log: {parameters['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith(("file:", "data:")):
                self.problems.append(f"asked for {url}")

    def look(self, width, scheme):
        """Sets the window's width in pixels and the colour scheme, light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, url):
        self._loaded = False
        self.call("Page.navigate", url="about:blank")
        while not self._loaded:
            self._note(self._receive())
        self._loaded = False
        self.call("Page.navigate", url=url)
        while not self._loaded:
            self._note(self._receive())

    def run(self, script):
        """The value of an expression in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script[:60]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def trace(self, act):
        """The events of tasks of all threads while `act` runs."""
        self._trace, self._traced = [], False
        self.call("Tracing.start", transferMode="ReportEvents",
                  traceConfig={"includedCategories": ["toplevel", "devtools.timeline",
                                                      "disabled-by-default-devtools.timeline"]})
        act()
        self.call("Tracing.end")
        while not self._traced:
            self._note(self._receive())
        return self._trace

    def pdf_pages(self):
        """How many pages the print has."""
        import base64
        data = base64.b64decode(self.call("Page.printToPDF")["data"])
        return data.count(b"/Type /Page\n")

    def picture(self, path):
        import base64
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        # The size of the content leaves room for a scroll bar, which a picture does not have.
        width = self.run("innerWidth")
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={
            "x": 0, "y": 0, "width": width, "height": min(size["height"], 2400),
            "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
