"use strict";

const SVG = "http://www.w3.org/2000/svg";
const at = id => document.getElementById(id);

// element makes an element with attributes and children; text stays text.
function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

function drawn(name, attributes = {}, ...children) {
  const e = document.createElementNS(SVG, name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

const known = v => typeof v === "number" && Number.isFinite(v);
const count = v => known(v) ? Math.round(v).toLocaleString("en-US") : "–";
const signed = s => s.replace("-", "−");
const fixed = (v, digits) => known(v) ? signed(v.toFixed(digits)) : "–";
const error = v => known(v) ? signed(String(Number(v.toPrecision(2)))) : "–";
const speed = v => v >= 1000 ? count(Number(v.toPrecision(3))) : short(v);
const short = v => !known(v) ? "–" : Math.abs(v) >= 1e5 || v !== 0 && Math.abs(v) < 1e-3 ? signed(v.toExponential(1)) :
  signed(String(Number(v.toPrecision(3))));

// lasting says how long some seconds are.
function lasting(s) {
  s = Math.max(0, Math.round(s));
  const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  if (h >= 48) return `${Math.floor(h / 24)} d ${h % 24} h`;
  return h ? `${h} h ${m} min` : m ? `${m} min ${s % 60} s` : `${s} s`;
}

function say(id, text) {
  const e = at(id);
  e.textContent = text;
  e.hidden = !text;
}

// The run: what is known of it, and by how much the clock there is ahead of the one here.
let facts = null, ahead = 0;

const words = { begins: "begins", "at work": "at work", "warm-up": "warm-up", sampling: "sampling", "summing up": "summing up", done: "done", stopped: "stopped",
  left: "unfinished" };
const looks = { "at work": "works", "warm-up": "works", sampling: "works", "summing up": "works", done: "good", stopped: "bad", left: "bad" };

// finished are the rounds of the run that have numbers to show.
const finished = () => (facts.rounds || []).filter(r => !r.warm_up);

// share is how much of what goes on is done: of cases where there are any.
const share = () => facts.cases?.of ? facts.cases.done / facts.cases.of : facts.reached.share;

function showState() {
  const r = share(), rounds = finished().length, ended = facts.state === "done" || facts.state === "stopped";
  document.title = `${known(r) && !ended ? Math.floor(100 * r) + " % " : ""}${facts.name || "r2sgld"} · ${words[facts.state]}`;
  at("name").textContent = facts.name || "r2sgld";
  say("what", [facts.command, facts.what].filter(Boolean).join(" · "));
  say("how", facts.how || "");
  at("state").textContent = words[facts.state];
  at("state").className = "badge " + (looks[facts.state] || "");
  let doing = facts.doing || "";
  if (facts.state === "sampling" && facts.until.iterations) doing = [`round ${rounds + 1}`, doing].filter(Boolean).join(", ");
  if (facts.state === "left") doing = "no process of this machine works on it; go on with: r2sgld resume " + facts.folder;
  if (facts.state === "at work") doing = facts.cases.list;
  at("doing").textContent = doing;
  say("why", facts.why || "");
  at("bar").hidden = !known(r) || ended;
  at("done").setAttribute("width", known(r) ? 100 * r : 0);
  at("folder").textContent = facts.folder;
  showTime();
}

// showTime says how long it has taken and will take, by the clock of the run.
function showTime() {
  if (!facts) return;
  const r = facts.reached, now = Date.now() + ahead, parts = [];
  const ended = facts.ended ? Date.parse(facts.ended) : 0;
  if (facts.begun) parts.push(ended ? `took ${lasting((ended - Date.parse(facts.begun)) / 1000)}` :
    `for ${lasting((now - Date.parse(facts.begun)) / 1000)}`);
  if (facts.state === "at work" && facts.cases.of) {
    const c = facts.cases;
    parts.push(`${count(c.done)} of ${count(c.of)} cases done, ${count(c.of - c.done)} left`);
  } else if (facts.state === "sampling") {
    if (known(r.left) && r.left > 0) parts.push(`left ${lasting(r.left - (now - Date.parse(r.at)) / 1000)}${facts.until.iterations ? " in this round" : ""}`);
    if (r.of) parts.push(`${count(r.iterations)} of ${count(r.of)} ${r.unit || "iterations"}`);
    if (known(r.per_second) && r.per_second > 0 && !r.unit) parts.push(`${count(r.per_second)} a second`);
  } else if (facts.state === "warm-up" && known(r.share)) parts.push(`${Math.floor(100 * r.share)} % of this round`);
  say("left", parts.join(" · "));
}

// chart is a line of points {x, y, low, high} with the value that is asked for; of a single
// point it is the value alone. scale is of the vertical axis.
function chart(name, value, points, asked, show, scale) {
  const wanted = known(asked) ? ` (asked ${show(asked)})` : "";
  const box = element("div", { class: "chart" }, element("p", {}, element("span", {}, name + wanted), element("b", {}, value)));
  if (points.length > 1) box.append(line(name, points, asked, show, scale));
  return box;
}

function line(name, points, asked, show, scale) {
  const W = 320, H = 130, left = 8, right = 8, top = 18, bottom = 20;
  const ys = points.flatMap(p => [p.y, p.low, p.high]).concat(asked).filter(known);
  const least = Math.min(...ys), most = Math.max(...ys);
  let lo = scale(least), hi = scale(most);
  if (hi === lo) { const d = Math.abs(hi) * 0.05 || 1; lo -= d; hi += d; }
  const first = points[0].x, last = points.at(-1).x;
  const X = x => last === first ? W / 2 : left + (x - first) / (last - first) * (W - left - right);
  const Y = y => H - bottom - (scale(y) - lo) / (hi - lo) * (H - top - bottom);
  const xy = p => `${X(p.x).toFixed(1)},${Y(p.y).toFixed(1)}`;
  const svg = drawn("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${name}: ${points.map(p => show(p.y)).join(", ")}` });
  const band = points.filter(p => known(p.low) && known(p.high));
  if (band.length > 1) svg.append(drawn("polygon", { class: "area",
    points: band.map(p => `${X(p.x).toFixed(1)},${Y(p.high).toFixed(1)}`).concat(band.toReversed().map(p => `${X(p.x).toFixed(1)},${Y(p.low).toFixed(1)}`)).join(" ") }));
  if (known(asked)) svg.append(drawn("line", { class: "asked", x1: left, x2: W - right, y1: Y(asked).toFixed(1), y2: Y(asked).toFixed(1) }));
  svg.append(drawn("polyline", { class: "line", points: points.map(xy).join(" ") }));
  if (points.length <= 40) for (const p of points) svg.append(drawn("circle", { class: "dot", cx: X(p.x).toFixed(1), cy: Y(p.y).toFixed(1), r: 3 }));
  svg.append(drawn("text", { x: left, y: 13 }, show(most)), drawn("text", { x: left, y: H - 6 }, show(least)),
    drawn("text", { class: "end", x: W - right, y: H - 6 }, `${points[0].name} … ${points.at(-1).name}`));
  return svg;
}

function showCharts() {
  const charts = [], rounds = finished(), between = facts.course || [];
  const from = (list, of, name, x) => list.map((p, i) => ({ ...of(p), name: name(p), x: x(p, i) })).filter(p => known(p.y));
  const add = (name, points, asked, show, value, scale = v => v) => {
    if (points.length) charts.push(chart(name, value || show(points.at(-1).y), points, asked, show, scale));
  };
  const ofRounds = of => from(rounds, of, r => r.name, (r, i) => i);
  const ofCourse = of => from(between, of, p => count(p.iterations), p => p.iterations);
  const until = facts.until, rhat = ofRounds(r => ({ y: r.rhat }));
  const three = v => fixed(v, 3);
  if (rhat.length > 1 || !between.some(p => known(p.rhat))) add("R̂ max", rhat, until.rhat, three);
  else add("R̂ on the way", ofCourse(p => ({ y: p.rhat })), until.rhat, three, rhat.length ? three(rhat.at(-1).y) : "");
  add("ESS min", ofRounds(r => ({ y: r.ess })), until.ess, count, "", v => Math.log(Math.max(v, 1)));
  const z = ofRounds(r => ({ y: r.log_z, low: known(r.log_z_error) ? r.log_z - r.log_z_error : NaN, high: known(r.log_z_error) ? r.log_z + r.log_z_error : NaN }));
  const lastZ = rounds.findLast(r => known(r.log_z));
  add("log Z", z, NaN, v => fixed(v, 2), lastZ && `${fixed(lastZ.log_z, 2)} ± ${error(lastZ.log_z_error)}`);
  const epochs = facts.epochs || [];
  for (const score of Object.keys(epochs.at(-1)?.scores || {}))
    add(score, from(epochs, e => ({ y: e.scores?.[score] }), e => `epoch ${count(e.epoch)}`, e => e.epoch), NaN, short);
  add("Swaps made", ofCourse(p => ({ y: p.swaps })), NaN, v => fixed(v, 2));
  at("mixing-heading").textContent = epochs.length ? "Scores" : "Mixing";
  at("charts").replaceChildren(...charts);
  at("mixing-section").hidden = !charts.length;
}

function rows(id, list) {
  (at(id).tBodies[0] || at(id).createTBody()).replaceChildren(...list);
  at(id + "-section").hidden = !list.length;
}

const cell = (text, number) => element("td", number ? { class: "number" } : {}, text);
const head = (text, number) => element("th", number ? { scope: "row", class: "number" } : { scope: "row" }, text);

// spare leaves a cell out where there is little room.
function spare(e) {
  e.classList.add("spare");
  return e;
}

function showRungs() {
  const last = (facts.rounds || []).findLast(r => r.rejection?.length), betas = facts.inverse_temperature || [];
  const rejection = last?.rejection || [];
  const n = rejection.length ? rejection.length + 1 : betas.length;
  const told = betas.length === n; // a warm-up has other rungs from round to round
  rows("rungs", n < 2 ? [] : Array.from({ length: n }, (_, i) => {
    const share = rejection[i], swaps = cell(i < n - 1 ? fixed(share, 2) : "");
    if (known(share)) swaps.append(drawn("svg", { class: "share", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      drawn("rect", { class: "done", height: 10, width: 100 * Math.min(1, Math.max(0, share)) })));
    return element("tr", {}, head(String(i + 1), true), cell(!told ? "–" : betas[i] === 0 ? "∞" : short(1 / betas[i]), true), swaps);
  }));
  at("trips").textContent = last ? `${count(last.round_trips)} round trips, ${last.warm_up || last.name === "end" ? "" : "round "}${last.name}` : "";
}

function showRounds() {
  rows("rounds", (facts.rounds || []).map(r => element("tr", r.warm_up ? { class: "warm" } : {}, head(r.name), spare(cell(r.draws ? count(r.draws) : "–", true)),
    cell(count(r.round_trips), true), cell(fixed(r.rhat, 3), true), cell(count(r.ess), true),
    cell(known(r.log_z) ? `${fixed(r.log_z, 2)} ± ${error(r.log_z_error)}` : "–", true))));
}

const bytes = b => b >= 1e9 ? `${(b / 1e9).toFixed(1)} GB` : b >= 1e6 ? `${(b / 1e6).toFixed(1)} MB` : `${count(b / 1e3)} kB`;

function showWorkers() {
  const w = facts.workers;
  if (!w) return;
  const row = (m, host, kind) => element("tr", kind ? { class: kind } : {}, head(host), cell(count(m.slots), true),
    cell(m.per_second ? speed(m.per_second) : "–", true), cell(m.answered ? count(m.answered) : "–", true),
    spare(cell(m.way ? `${short(1000 * m.way)} ms` : "–", true)));
  const fault = m => element("tr", { class: "fault" }, element("td", { colspan: 5 }, `${new Date(m.at).toLocaleTimeString("en-GB")} ${m.fault}`));
  rows("workers", [row(w.here, "this machine"), ...w.now.map(m => row(m, m.host || m.name)),
    ...w.gone.toReversed().flatMap(m => [row(m, m.host || m.name, "gone"), fault(m)])]);
  const slots = w.now.reduce((n, m) => n + m.slots, 0);
  at("blocks").textContent = `${w.now.length === 1 ? "1 worker" : count(w.now.length) + " workers"}, ${count(slots)} at once · ` +
    `${count(w.waiting)} blocks in flight · ${count(w.sent)} messages, ${bytes(w.bytes)}`;
}

function showCases() {
  rows("cases", (facts.cases?.by || []).map(b => element("tr", {}, head(b.who || "this machine"), cell(count(b.done), true),
    cell(new Date(b.last).toLocaleTimeString("en-GB"), true))));
}

function showWarnings() {
  at("warnings").replaceChildren(...(facts.warnings || []).map(w => element("li", {}, w)));
  at("warnings-section").hidden = !facts.warnings?.length;
}

// first are the figures that come before others.
const first = ["marginals", "pairs", "fit", "predictive", "trace"];

// showFigures leaves pictures that are the same where they are.
function showFigures() {
  const all = facts.figures || [], box = at("figures");
  const there = new Map([...box.children].map(e => [e.dataset.name, e]));
  for (const f of all) {
    const name = f.name.replace(/\.svg$/, ""), src = `figures/${encodeURIComponent(f.name)}?v=${f.version}`;
    let e = there.get(f.name);
    if (!e) {
      e = element("figure", { class: "picture" }, element("figcaption", {}, name), element("img", { alt: `figure ${name} of the run` }));
      e.dataset.name = f.name;
      e.style.order = first.includes(name) ? first.indexOf(name) : first.length;
      box.append(e);
    }
    const img = e.querySelector("img");
    if (img.getAttribute("src") !== src) img.setAttribute("src", src);
    there.delete(f.name);
  }
  for (const e of there.values()) e.remove();
  at("figures-section").hidden = !all.length;
}

function show() {
  showState();
  showWarnings();
  showCharts();
  showRungs();
  showRounds();
  showWorkers();
  showCases();
  showFigures();
}

// lose says since when nothing has been heard.
function lose(lost) {
  if (lost && at("lost").hidden) at("lost-at").textContent = new Date().toLocaleTimeString("en-GB");
  at("lost").hidden = !lost;
}

const events = new EventSource("events");
events.onopen = () => lose(false);
events.onerror = () => lose(true);
events.onmessage = e => {
  const m = JSON.parse(e.data);
  facts = m.facts;
  ahead = m.now - Date.now();
  show();
};
events.addEventListener("end", async () => {
  await Promise.allSettled([...document.images].map(i => i.decode()));
  events.close();
});
setInterval(showTime, 1000);
