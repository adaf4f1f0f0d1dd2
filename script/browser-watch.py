"""Checks the page of a run: see script/browser-watch."""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from browser import VIEWS, Browser, Failure, look, valid

PROGRAM = Path("bin/r2sgld").resolve()
# States of it take a while each, and it goes on until it is stopped.
LONG = ["identify", "examples/lynx-hare-trajectory.yaml", "--threads", "1", "--set", "sampler.until.ess=1e9", "--set", "sampler.until.iterations=1e9"]
SHORT = ["fit", "examples/fit/o-rings.yaml"]


class Program:
    """The program at work, and the lines that it prints."""

    def __init__(self, folder, name, *args):
        self.log = folder / f"{name}.log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([PROGRAM, *args], stdout=log, stderr=log)

    def line(self, pattern):
        """Waits for a line and returns what the pattern has in brackets."""
        end = time.monotonic() + 20
        while not (found := re.search(pattern, self.log.read_text(encoding="utf-8"))):
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failure(f"no line {pattern!r}:\n{self.log.read_text(encoding='utf-8')}")
            time.sleep(0.02)
        return found[1]

    def end(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(20)


def shown(browser, what, expression):
    """Waits until the page shows something."""
    end = time.monotonic() + 25
    while not browser.evaluate(expression):
        if time.monotonic() > end:
            raise Failure(f"the page does not show {what}: {browser.evaluate('document.body.innerText')}")
        time.sleep(0.1)
    print(f"ok  the page shows {what}")


def views(browser, url, folder, name):
    """Looks at the page that is open in every view."""
    faults = []
    for width, scheme in VIEWS:
        picture = folder / f"{name}-{width}-{scheme}.png"
        browser.view(width, scheme)
        seen = look(browser, url, width, picture)
        faults += [f"{name}, {width} px, {scheme}: {f}" for f in seen["faults"]]
        print(f"{width:5} px {scheme:5}  {seen['pictures']} pictures, {seen['texts']} texts, {seen['height']} px tall  {picture}")
    return faults


def status(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as e:
        return e.code


def at_work(browser, work, folder):
    """A run that begins, loses a worker, and is stopped."""
    run = Program(work, "run", *LONG, "--out", str(work / "run"), "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0")
    others = []
    try:
        hub, url = run.line(r"r2sgld work (\S+)"), run.line(r"page: (\S+)")
        if status(url[:-3] + "x/") != 403:
            raise Failure("another token is let in")
        browser.go(url)
        others = [Program(work, f"worker-{i}", "work", hub, "--slots", "1", "--dir", str(work / "files")) for i in range(2)]
        shown(browser, "a round, and two workers that have answered", """
            document.querySelectorAll("#rounds tbody tr").length > 0 && document.querySelectorAll(".chart").length > 0 &&
            facts.workers.now.length == 2 && facts.workers.now.every(w => w.answered > 0) && document.querySelectorAll("#workers tbody tr").length == 3""")
        lost = f"w{others[0].process.pid}"
        others[0].end(signal.SIGKILL)
        shown(browser, "that a worker was lost", f"""
            document.querySelectorAll("#workers tr.gone").length == 1 && facts.workers.now.length == 1 && facts.workers.gone[0].name.startsWith("{lost}-") &&
            document.querySelector("#workers tr.fault").innerText.includes("has not been heard of")""")
        shown(browser, "how long the round takes", """/left .*in this round/.test(document.getElementById("left").innerText)""")
        faults = views(browser, url, folder, "watch-work")
        code = run.end()
        if code != 3:
            raise Failure(f"the run ends with {code}")
        shown(browser, "that the run was stopped", """
            document.getElementById("state").innerText == "stopped" && document.getElementById("why").innerText.includes("resume") && document.getElementById("lost").hidden""")
        return faults
    finally:
        for p in [run, *others]:
            p.end(signal.SIGKILL)


def studying(browser, work, folder):
    """A study of which a worker does cases."""
    study = Program(work, "study", "reproduce", "theory", "--scale", "small", "--threads", "1", "--out", str(work / "study"),
                    "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0")
    worker = None
    try:
        browser.go(study.line(r"page: (\S+)"))
        worker = Program(work, "worker", "work", study.line(r"r2sgld work (\S+)"), "--slots", "1", "--dir", str(work / "files"))
        shown(browser, "cases that are done and left, by this machine and by a worker", """
            document.getElementById("state").innerText == "at work" && document.querySelectorAll("#cases tbody tr").length == 2 &&
            /^for .* · \\d+ of \\d+ cases done, \\d+ left$/.test(document.getElementById("left").innerText) &&
            document.getElementById("doing").innerText.startsWith("theory: ") && !document.getElementById("bar").hidden &&
            document.getElementById("cases").innerText.includes("this machine") && document.getElementById("cases").innerText.includes("worker w")""")
        faults = views(browser, browser.evaluate("location.href"), folder, "watch-study")
        if study.end() != 3:
            faults.append("a study that is stopped does not end well")
        shown(browser, "that the study was stopped", """
            document.getElementById("state").innerText == "stopped" && document.getElementById("why").innerText.includes("go on with")""")
        return faults
    finally:
        for p in [study, worker]:
            if p:
                p.end(signal.SIGKILL)


def finished(browser, work, folder):
    """A run that ends while a page shows it, and then is shown by its folder."""
    run = work / "done"
    program = Program(work, "done", *SHORT, "--out", str(run), "--web", ":0")
    browser.go(program.line(r"page: (\S+)"))
    if program.process.wait(60):
        raise Failure((work / "done.log").read_text(encoding="utf-8"))
    whole = """document.getElementById("state").innerText == "done" && document.images.length == %d && [...document.images].every(i => i.naturalWidth > 0)"""
    shown(browser, "a run to its end, with all figures, when it is no longer there", whole % len(list((run / "figures").glob("*.svg"))))
    page = Program(work, "watch", "watch", str(run), "--web", ":0")
    try:
        url = page.line(r"(http://127\S+)")
        text = urllib.request.urlopen(url, timeout=10).read()
        (work / "page.html").write_bytes(text)
        faults = valid(str(work / "page.html"))
        browser.go(url)
        names = sorted(f.name for f in (run / "figures").glob("*.svg"))
        shown(browser, "a run that is done, with all figures", whole % len(names))
        if browser.evaluate("facts.figures.map(f => f.name)") != names:
            faults.append(f"the figures are not {names}")
        summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
        z = f"{summary['log_evidence']['estimate']:.2f}".replace("-", "−")
        if z not in browser.evaluate("document.getElementById('charts').innerText"):
            faults.append(f"log Z is not {z}")
        faults += views(browser, url, folder, "watch-done")
        if page.end() != 0:
            faults.append("watch does not end well")
        return faults
    finally:
        page.end(signal.SIGKILL)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    import shutil
    command = next((c for c in ("chromium", "chromium-browser", "google-chrome") if shutil.which(c)), None)
    if not command:
        raise Failure("there is no Chromium: run script/setup browser")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as where:
        work = Path(where)
        browser = Browser(command, str(work / "profile"))
        try:
            browser.open()
            browser.view(1200, "light")
            faults = at_work(browser, work, folder) + studying(browser, work, folder) + finished(browser, work, folder)
        finally:
            browser.close()
    if faults:
        raise Failure("\n  ".join([f"{len(faults)} faults"] + faults))


if __name__ == "__main__":
    try:
        main()
    except Failure as e:
        print(f"browser-watch: {e}", file=sys.stderr)
        sys.exit(1)
