"""A page in Chromium on a tested host. tenon_testing uses it; needs Debian's packages python3-selenium and chromium-driver."""

import os
import pathlib
import re
import shutil
import sys
import tempfile

MISSING = "{} is not installed. Tests with a page need Selenium and Chromium. On Debian: apt install python3-selenium chromium-driver"
DEBIAN_MODULES = "/usr/lib/python3/dist-packages"
# Long, because the machine may be busy. These limits do not measure speed.
FIND_SECONDS = 30
# Requests that the host refuses are a part of many tests.
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
CONTROLS = "button, a[href], input, textarea, select, summary, [contenteditable=true], [role]"


def program(*names):
    """Returns the path of the first of these programs that is installed. Raises RuntimeError if none is."""
    for name in names:
        if path := shutil.which(name):
            return path
    raise RuntimeError(MISSING.format(names[0]))


def import_selenium():
    """Imports Selenium. Another Python than Debian's, such as a virtual environment, may use Debian's package."""
    for folder in (None, DEBIAN_MODULES):
        if folder:
            sys.path.insert(0, folder)
        try:
            from selenium import webdriver
            from selenium.webdriver.chrome.service import Service
            return webdriver, Service
        except ImportError:
            continue
        finally:
            if folder:
                sys.path.remove(folder)
    raise RuntimeError(MISSING.format("Selenium"))


def start_browser(width, height):
    """Starts Chromium without a window and returns its Selenium driver."""
    webdriver, Service = import_selenium()
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ.get("CHROMIUM") or program("chromium", "chromium-headless-shell", "google-chrome")
    flags = [
        "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--no-proxy-server", "--force-prefers-reduced-motion", f"--window-size={width},{height}"]
    # Chromium has no sandbox for root.
    for flag in flags + ["--no-sandbox"] * (os.geteuid() == 0):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(program("chromedriver")), options=options)


class Page:
    """A page with a browser of its own. Use it as a context manager: with self.server.page("ada") as page.

    `driver` is Selenium's driver, for everything that this class does not have. At the end, errors in the console of the
    browser fail the test. After a failure, the message names a screenshot.
    """

    def __init__(self, server, cookies, path, width, height):
        self.server = server
        self.console = []
        self.driver = start_browser(width, height)
        try:
            for cookie in cookies:
                self.driver.execute_cdp_cmd("Network.setCookie", {"name": cookie.name, "value": cookie.value, "url": server.url})
            self.open(path)
        except BaseException:
            self.driver.quit()
            raise

    def open(self, path):
        """Opens a path of the server, such as "/app/my-plugin"."""
        self.driver.get(self.server.url + path)

    def find(self, selector):
        """Waits for a visible element that a CSS selector matches and returns it. Raises AssertionError if there is none."""
        return self._wait(
            lambda: next((element for element in self.driver.find_elements("css selector", selector) if element.is_displayed()), None),
            f"no visible element matches {selector!r}")

    def find_text(self, text):
        """Waits for a visible element that has this text in itself and returns it. Raises AssertionError if there is none."""
        script = """
            const words = arguments[0].replace(/\\s+/g, " ").trim();
            const has = (element) => (element.innerText ?? "").replace(/\\s+/g, " ").includes(words);
            let found = has(document.body) ? document.body : null;
            for (let next = found; next; next = [...found.children].find(has)) found = next;
            return found;"""
        return self._wait(lambda: self.driver.execute_script(script, text), f"the page does not show the text {text!r}")

    def control(self, name):
        """Waits for a visible button, link or field with this accessible name, such as its label, and returns it.

        Raises AssertionError if there is none.
        """
        return self._wait(
            lambda: next((element for element in self.driver.find_elements("css selector", CONTROLS)
                          if element.is_displayed() and element.accessible_name == name), None),
            f"no button, link or field has the name {name!r}")

    def errors(self):
        """Returns the errors in the console of the browser until now."""
        self.console += [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        return [message for message in self.console if not REFUSED.search(message)]

    def screenshot(self, path):
        """Saves what the window shows as a PNG file."""
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.driver.get_screenshot_as_png())

    def close(self):
        """Ends the browser. Raises AssertionError if there are errors in its console."""
        try:
            self._check_console()
        finally:
            self.driver.quit()

    def _check_console(self):
        if errors := self.errors():
            lines = "\n".join(errors)
            raise AssertionError(f"errors in the console of the browser:\n{lines}\n{self._keep_screenshot()}")

    def _keep_screenshot(self):
        folder = os.environ.get("TESTED_OUTPUT") or tempfile.mkdtemp(prefix="tenon-page-")
        path = pathlib.Path(folder, f"{self.server.test}.png")
        self.screenshot(path)
        return f"screenshot: {path}"

    def _wait(self, find, otherwise):
        from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
        from selenium.webdriver.support.wait import WebDriverWait
        wait = WebDriverWait(self.driver, FIND_SECONDS, 0.05, [StaleElementReferenceException])
        try:
            return wait.until(lambda _: find())
        except TimeoutException:
            raise AssertionError(f"{otherwise} after {FIND_SECONDS} s at {self.driver.current_url}") from None

    def __enter__(self):
        return self

    def __exit__(self, kind, failure, _):
        if failure is None:
            self.close()
            return
        try:
            print(f"\n{self.server.test}: {self._keep_screenshot()}", *self.errors(), sep="\n", file=sys.stderr)
        finally:
            self.driver.quit()
