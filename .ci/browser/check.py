"""Pages in a real browser: Debian's Chromium over its debugging pipe.

Opens pages that `convo` writes, looks at what a reader would do with them, and fails
on a console error, a request that leaves the page, or a string that ran.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import time

SECONDS = 2.0


class Browser:
    """One headless browser, spoken to over file descriptors 3 and 4."""

    def __init__(self, profile):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def descriptors():
            # Above 4 first: either may be in the other's way.
            inward = os.dup(to_browser)
            outward = os.dup(from_browser)
            while inward in (3, 4):
                inward = os.dup(inward)
            while outward in (3, 4):
                outward = os.dup(outward)
            os.dup2(inward, 3)
            os.dup2(outward, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={profile}"],
            preexec_fn=descriptors, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise RuntimeError("the browser is gone")
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, path):
        self.events.clear()
        begun = time.monotonic()
        self.call("Page.navigate", url=path.resolve().as_uri())
        while self.ask("document.readyState") != "complete":
            time.sleep(0.01)
        return time.monotonic() - begun

    def complaints(self):
        """What a quiet page never causes."""
        self.ask("new Promise(done => setTimeout(done, 100))")
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:")):
                    found.append(f"request to {url}")
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                found.append(f"console: {params['args']}")
            elif method in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
                found.append(f"{method}: {params}")
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(f"log: {params['entry']['text']}")
        return found

    def picture(self, path, dark):
        value = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])
        self.call("Emulation.setDeviceMetricsOverride", width=1200, height=800, deviceScaleFactor=1, mobile=False)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()


SHOWN = "[...document.querySelectorAll('%s')].filter(e => e.offsetParent).length"


def expect(what, found):
    if not found:
        sys.exit(f"browser: {what}")


def conversation(browser, path, word):
    took = browser.open(path)
    print(f"{path.name}: {path.stat().st_size} bytes, open in {took:.2f} s")
    expect(f"{path.name} took {took:.2f} s", took < SECONDS)
    all_shown = browser.ask(SHOWN % ".entry")
    expect("entries are shown", all_shown > 0)
    for who, hidden in (("user", "model"), ("model", "user")):
        browser.ask(f"document.getElementById('who-{who}').click()")
        expect(f"{who}: what the {hidden} alone saw is hidden", browser.ask(SHOWN % f"[data-who={hidden}]") == 0)
    browser.ask("document.getElementById('who-differ').click()")
    expect("differences alone", browser.ask(SHOWN % ".entry[data-who=both]") == 0)
    browser.ask("document.getElementById('who-all').click()")
    expect("the switch goes back", browser.ask(SHOWN % ".entry") == all_shown)
    folds = browser.ask("document.querySelectorAll('.talk details').length")
    if folds:
        browser.ask("document.querySelector('.talk details > summary').click()")
        expect("a fold opens", browser.ask("document.querySelector('.talk details').open"))
    browser.ask(f"(() => {{ const box = document.getElementById('search'); box.value = {json.dumps(word)};"
                " box.dispatchEvent(new Event('input')); })()")
    browser.ask("new Promise(done => setTimeout(done, 400))")
    expect(f"search finds {word}", browser.ask("document.querySelectorAll('.hit').length") > 0)
    browser.ask("(() => { const box = document.getElementById('search'); box.value = ''; box.dispatchEvent(new Event('input')); })()")
    links = browser.ask("[...document.querySelectorAll('nav a')].every(a => document.getElementById(a.hash.slice(1)))")
    expect("every turn can be gone to", links)
    expect(f"{path.name} is quiet: {browser.complaints()}", not browser.complaints())


def main():
    folder = pathlib.Path(sys.argv[1])
    axe = pathlib.Path(sys.argv[2]).read_text() if len(sys.argv) > 2 else None
    pictures = pathlib.Path(os.environ["PICTURES"]) if "PICTURES" in os.environ else None
    browser = Browser(folder / "profile")
    try:
        for path in sorted(folder.glob("*.html")):
            if path.stem.startswith("run"):
                took = browser.open(path)
                print(f"{path.name}: {path.stat().st_size} bytes, open in {took:.2f} s")
                expect(f"{path.name} took {took:.2f} s", took < SECONDS)
                browser.ask("document.querySelector('.request summary').click()")
                expect("a pair opens", browser.ask("document.querySelector('.request details').open"))
                kept = browser.ask("document.querySelectorAll('[data-kept=true]').length")
                browser.ask("document.getElementById('pairs-broken').click()")
                expect("what broke alone", not kept or browser.ask(SHOWN % "[data-kept=true]") == 0)
                browser.ask("document.getElementById('pairs-all').click()")
                browser.ask("document.querySelector('.request summary').click()")
                expect(f"{path.name} is quiet: {browser.complaints()}", not browser.complaints())
            else:
                conversation(browser, path, "the")
            expect("no stored string ran", browser.ask("window.ran === undefined"))
            if pictures and path.stem in ("conversation", "run"):
                browser.ask("scrollTo(0, 0)")
                for dark in (False, True):
                    shade = "dark" if dark else "light"
                    browser.picture(pictures / f"page-{path.stem}-{shade}.png", dark)
            if axe:
                browser.ask(axe + ";0")
                found = browser.ask("axe.run().then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact))"
                                    ".map(v => v.id + ': ' + v.nodes[0].html))")
                expect(f"{path.name}: {found}", not found)
    finally:
        browser.close()


main()
