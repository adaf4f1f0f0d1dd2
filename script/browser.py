"""Checks a report as a reader gets it: see script/browser. script/browser-watch does so with a
page of a run.

Speaks the DevTools protocol over the pipe that Chromium offers (file
descriptors 3 and 4, a message ends in a zero byte), so that Python's own
library suffices.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VIEWS = [(w, s) for w in (400, 1200) for s in ("light", "dark")]
DEADLINE = 60  # seconds for everything
TALLEST = 12000  # CSS pixels of a screenshot

# Runs in a page and returns what is wrong with it, and how many things it saw. CLAIMS is for
# what a report has besides.
LOOK = r"""
(async () => {
  const faults = [], say = t => { if (faults.length < 12) faults.push(t) };
  const width = document.documentElement.clientWidth;
  const name = e => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (e.className ? "." + e.className : "");
  const visible = e => e.checkVisibility({visibilityProperty: true, opacityProperty: true}) && e.getBoundingClientRect().width > 1 && e.getBoundingClientRect().height > 1;

  // Nothing hangs over the right edge, unless its box scrolls.
  if (document.documentElement.scrollWidth > width) say(`the page is ${document.documentElement.scrollWidth} wide in a window of ${width}`);
  for (const e of document.querySelectorAll("body *")) {
    const r = e.getBoundingClientRect();
    if (r.right > width + 1 && visible(e) && !e.closest(".scroll, pre")) say(`${name(e)} ends at ${Math.round(r.right)} of ${width}`);
  }

  // Pictures are there: decoded, wide enough to see, with more than one colour.
  const pictures = [...document.images];
  for (const i of pictures) {
    try { await i.decode() } catch { say(`picture "${i.alt}" cannot be decoded`); continue }
    const box = i.getBoundingClientRect();
    if (!visible(i) || box.width < 0.5 * Math.min(width, i.naturalWidth) || box.height < 40) say(`picture "${i.alt}" is ${Math.round(box.width)} × ${Math.round(box.height)}`);
    if (!i.alt.trim()) say("a picture has no alternative text");
    const c = document.createElement("canvas"); c.width = c.height = 64;
    const g = c.getContext("2d"); g.drawImage(i, 0, 0, 64, 64);
    const seen = new Set(new Uint32Array(g.getImageData(0, 0, 64, 64).data.buffer));
    if (seen.size < 4) say(`picture "${i.alt}" is empty: ${seen.size} colours`);
  }
  for (const f of document.querySelectorAll("figure")) {
    if (!f.querySelector("img")) say(`${name(f)} has no picture`);
    if (!f.querySelector("figcaption")?.innerText.trim()) say(`${name(f)} has no caption`);
  }

  let rows = [];
  CLAIMS
  // Headings in order, one h1; a language; letters that stand out from their paper.
  let last = 0;
  for (const h of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const n = +h.tagName[1];
    if (n > last + 1 || (n == 1) != (last == 0)) say(`heading "${h.innerText}" is h${n} after h${last}`);
    last = n;
  }
  if (!document.documentElement.lang) say("the page has no language");
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  for (const a of document.querySelectorAll("a[href^='#']")) if (!ids.includes(a.hash.slice(1))) say(`link ${a.hash} leads nowhere`);
  const rgb = s => s.match(/[\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const bad = new Set(); let texts = 0;
  for (let t; t = walk.nextNode();) {
    const e = t.parentElement;
    if (!t.data.trim() || !visible(e)) continue;
    texts++;
    let p = e, back = [0, 0, 0, 0];
    while (p && (back = rgb(getComputedStyle(p).backgroundColor), back.length > 3 && back[3] == 0)) p = p.parentElement;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), p ? light(back) : 1].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) bad.add(`${name(e)} has contrast ${ratio.toFixed(2)}`);
  }
  bad.forEach(say);
  return {faults, pictures: pictures.length, claims: rows.length, texts, height: document.documentElement.scrollHeight};
})()
"""

# The claims: each row with a claim, a verdict in words and a reason, within the window.
CLAIMS = r"""
  rows = [...document.querySelectorAll("#claims-table tbody tr")];
  if (!rows.length) say("no claims table");
  const verdicts = ["holds", "does not hold", "depends", "not testable here"];
  for (const r of rows) {
    const cells = [...r.children], box = r.getBoundingClientRect();
    if (cells.length != 4 || !cells[0].innerText.trim() || !cells[3].innerText.trim()) say(`${name(r)} is not whole`);
    const badge = r.querySelector(".badge");
    if (!badge || !visible(badge) || !verdicts.some(v => badge.innerText.endsWith(v))) say(`${name(r)} has no verdict`);
    if (!visible(r) || box.left < 0 || box.right > width) say(`${name(r)} is not within the window`);
  }
"""


class Failure(Exception):
    """What is wrong, in a line."""


class Browser:
    """Chromium, and one page in it."""

    def __init__(self, command, profile):
        to_child, self.out = os.pipe()
        self.back, from_child = os.pipe()
        # The shell moves the pipe to where Chromium looks for it.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_child} 4>&{from_child}', "sh", command, "--headless=new", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking", "--no-first-run",
             "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_child, from_child), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        self.end = time.monotonic() + DEADLINE

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def receive(self):
        import select
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.back], [], [], max(0, self.end - time.monotonic()))
            data = os.read(self.back, 1 << 20) if ready else b""
            if not data:
                raise Failure("Chromium does not answer" if not ready else "Chromium ended before it answered")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while (answer := self.receive()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, event):
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.receive())

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise Failure(f"the look at the page failed: {result['exceptionDetails']}")
        return result["result"].get("value")

    def view(self, width, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def go(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def open(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")


def look(browser, ours, width, picture, more=""):
    """Looks at the page that is open, which may ask for what is ours alone, and returns what it saw."""
    seen = browser.evaluate(LOOK.replace("CLAIMS", more))
    shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True,
                        clip={"x": 0, "y": 0, "width": width, "height": min(TALLEST, seen["height"]), "scale": 1})
    picture.write_bytes(base64.b64decode(shot["data"]))
    for e in browser.events:
        if e.get("method") == "Network.requestWillBeSent":
            asked = e["params"]["request"]["url"]
            if not asked.startswith(ours) and not asked.startswith("data:"):
                seen["faults"].append(f"it asks the network for {asked[:100]}")
        if e.get("method") == "Log.entryAdded" and e["params"]["entry"]["level"] in ("error", "warning"):
            seen["faults"].append("the browser says: " + e["params"]["entry"]["text"][:200])
    return seen


def valid(report):
    """Returns what tidy says of the HTML."""
    said = subprocess.run(["tidy", "-errors", "-quiet", "-utf8", report], capture_output=True, text=True)
    lines = [line for line in said.stderr.splitlines() if line.strip()]
    if said.returncode and not lines:
        lines = [f"tidy ended with {said.returncode}"]
    return [f"HTML: {line}" for line in lines[:12]]


def main():
    report, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    command = next((c for c in ("chromium", "chromium-browser", "google-chrome") if shutil.which(c)), None)
    if not command:
        raise Failure("there is no Chromium: run script/setup browser")
    faults = valid(str(report))
    size = report.stat().st_size
    if size > 5_000_000:
        faults.append(f"it has {size / 1e6:.1f} MB, more than 5")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(command, profile)
        try:
            browser.open()
            for width, scheme in VIEWS:
                picture = folder / f"{report.stem}-{width}-{scheme}.png"
                browser.view(width, scheme)
                browser.go(report.as_uri())
                seen = look(browser, report.as_uri(), width, picture, CLAIMS)
                faults += [f"{width} px, {scheme}: {f}" for f in seen["faults"]]
                print(f"{width:5} px {scheme:5}  {seen['claims']} claims, {seen['pictures']} pictures, "
                      f"{seen['texts']} texts, {seen['height']} px tall  {picture}")
        finally:
            browser.close()
    if faults:
        raise Failure("\n  ".join([f"{len(faults)} faults"] + faults))
    print(f"ok  {report.name}: {size / 1e6:.2f} MB, valid HTML, nothing from the network")


if __name__ == "__main__":
    try:
        main()
    except Failure as e:
        print(f"{sys.argv[1]}: {e}", file=sys.stderr)
        sys.exit(1)
