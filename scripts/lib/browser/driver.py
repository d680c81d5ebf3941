"""A headless Chromium, driven by the WebDriver protocol over plain HTTP."""

import base64
import json
import pathlib
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ESCAPE, ENTER, TAB = "\ue00c", "\ue007", "\ue004"


class BrowserError(Exception):
    """The browser did not do as it was told, or the page did not become as expected."""


class Element:
    def __init__(self, browser, reference):
        self.browser, self.reference = browser, reference

    def _ask(self, method, path, body=None):
        return self.browser.ask(method, f"/element/{self.reference}/{path}", body)

    def click(self):
        self._ask("POST", "click", {})

    def type(self, text):
        self._ask("POST", "value", {"text": text})

    def clear(self):
        self._ask("POST", "clear", {})

    @property
    def text(self):
        return self._ask("GET", "text")

    @property
    def is_enabled(self):
        return self._ask("GET", "enabled")


class Browser:
    """One window; `stop` ends it and its driver."""

    def __init__(self, folder, dark=False, width=1280, height=900):
        options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
            f"--user-data-dir={folder}/profile-{'dark' if dark else 'light'}-{width}",
        ]  # fmt: skip
        if dark:
            options.append("--force-dark-mode")
        self.log = open(pathlib.Path(folder) / "chromedriver.log", "ab")
        self.child = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "chromedriver", "--port=0"],
            stdout=subprocess.PIPE, stderr=self.log, text=True,
        )  # fmt: skip
        self.url = f"http://127.0.0.1:{self._port()}"
        self.session = ""
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": options},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = f"/session/{made['sessionId']}"
        self.resize(width, height)

    def _port(self):
        for line in self.child.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip(".\n").split()[-1])
        raise BrowserError("chromedriver did not start")

    def stop(self):
        try:
            self._call("DELETE", self.session)
        finally:
            self.child.terminate()
            self.child.wait(10)
            self.log.close()

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise BrowserError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def ask(self, method, path, body=None):
        return self._call(method, self.session + path, body)

    def resize(self, width, height):
        """The size of the page itself; a window cannot be as narrow as a phone."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )

    def command(self, name, parameters=None):
        body = {"cmd": name, "params": parameters or {}}
        return self.ask("POST", "/goog/cdp/execute", body)

    def open(self, url):
        # Another fragment of the same page would load nothing.
        self.ask("POST", "/url", {"url": "about:blank"})
        self.ask("POST", "/url", {"url": url})

    def go(self, place):
        self.run("location.hash = arguments[0]", f"#/{place}")

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector, seconds=20):
        """The first element that matches and can be seen."""
        script = """return [...document.querySelectorAll(arguments[0])]
            .filter((one) => one.checkVisibility())[0] ?? null"""
        found = self.until(lambda: self.run(script, selector), f"{selector} on the page", seconds)
        return Element(self, found[ELEMENT])

    def button(self, text, seconds=20):
        """The button whose text begins so."""
        script = """return [...document.querySelectorAll('button')]
            .filter((one) => one.textContent.startsWith(arguments[0]) && one.checkVisibility()
              && (!document.querySelector('dialog[open]') || one.closest('dialog') === [...document.querySelectorAll('dialog[open]')].at(-1)))[0] ?? null"""
        found = self.until(lambda: self.run(script, text), f"a button {text!r}", seconds)
        return Element(self, found[ELEMENT])

    def text(self, selector="body"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait_text(self, text, selector="body", seconds=20):
        self.until(lambda: text in self.text(selector), f"{text!r} in {selector}", seconds)

    def until(self, condition, what, seconds=20):
        deadline = time.monotonic() + seconds
        while True:
            if value := condition():
                return value
            if time.monotonic() > deadline:
                raise BrowserError(f"waited {seconds} s in vain for {what}; {self.text()[:600]!r}")
            time.sleep(0.05)

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        body = {"actions": [{"type": "key", "id": "keys", "actions": actions}]}
        self.ask("POST", "/actions", body)

    def screenshot(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def complaints(self):
        """What the browser's console holds: errors of scripts, refusals of the content policy."""
        entries = self.ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]
