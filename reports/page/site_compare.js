// Compares the marks of two sides, differences first. The address holds the comparison: a, b, ra, rb,
// shown; `chip` alone means its two newest dates.
"use strict";
const data = JSON.parse(document.getElementById("page-data").textContent);
const field = (name) => document.getElementById(name);
const ROUTES = ["both", "mil", "netlist"];

// "3a." is aaa and one operation that was not tried.
function unpack(text) {
  const marks = [];
  for (const [, number, letter] of text.matchAll(/(\d*)([a-z.])/g)) {
    const mark = letter === "." ? -1 : letter.charCodeAt(0) - 97;
    for (let i = Number(number || 1); i > 0; --i) marks.push(mark);
  }
  return marks;
}

// The worse mark of both routes if no route is chosen.
function marksOf(side, route) {
  if (route !== "both") return unpack(side[route]);
  const netlist = unpack(side.netlist);
  return unpack(side.mil).map((mark, op) => Math.max(mark, netlist[op]));
}

function make(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function sign(mark) {
  const {name, sign: text, style} = data.marks[mark];
  return make("td", {}, make("span", {className: `chip s-${style}`, title: name}, text), ` ${name}`);
}

// A cell without a verdict is neither better nor worse.
const judged = (mark) => data.marks[mark].name !== "not judged";
const directionOf = (a, b) => a === b ? "" : !judged(a) || !judged(b) ? "other"
  : b > a ? "worse" : "better";
const LOOKS = {worse: "broken", better: "better", other: ""};

function rowsOf(a, b) {
  const rows = [];
  data.ops.forEach((op, index) => {
    if (a[index] < 0 || b[index] < 0) return;
    rows.push({op, a: a[index], b: b[index], direction: directionOf(a[index], b[index])});
  });
  const order = ["worse", "better", "other", ""];
  return rows.sort((x, y) => order.indexOf(x.direction) - order.indexOf(y.direction));
}

const nameOf = (side) => `${side.title}: ${side.name}`;

function draw() {
  const sides = ["a", "b"].map((name) => data.sides[field(`side-${name}`).value]);
  sides.forEach((side, i) => { field(`name-${"ab"[i]}`).textContent = nameOf(side); });
  const routes = ["a", "b"].map((name) => field(`route-${name}`).value);
  const rows = rowsOf(...sides.map((side, i) => marksOf(side, routes[i])));
  const shown = field("shown").value;
  const fitting = rows.filter(({direction}) => shown === "all" || direction === (shown || direction) &&
    direction !== "");
  const counted = (name) => rows.filter(({direction}) => direction === name).length;
  field("answer").textContent = `Operations tried on both sides: ${rows.length}, ${counted("worse")} of them worse and ` +
    `${counted("better")} better.` + (fitting.length > 0 ? "" : " None is listed: choose other sides, or show all that both tried.");
  field("differences").parentElement.hidden = fitting.length === 0;
  const head = ["operation", "change", "before", "after", "class"].map(
    (name) => make("th", {scope: "col"}, name));
  field("differences").replaceChildren(make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...fitting.map(({op, a, b, direction}) => make("tr", {},
      make("th", {scope: "row"}, make("a", {className: "op", href: `ops/${op.page}.html`}, op.name)),
      make("td", {}, make("span", {className: LOOKS[direction]}, direction || "equal")), sign(a), sign(b),
      make("td", {}, op.class)))));
  document.body.dataset.rows = fitting.length;
}

function write() {
  const address = new URLSearchParams();
  for (const name of ["a", "b"]) {
    address.set(name, data.sides[field(`side-${name}`).value].id);
    if (field(`route-${name}`).value !== "both") address.set(`r${name}`, field(`route-${name}`).value);
  }
  if (field("shown").value) address.set("shown", field("shown").value);
  history.replaceState(null, "", `#${address}`);
  draw();
}

function fill() {
  for (const name of ["a", "b"]) {
    let group = null, chip = "";
    data.sides.forEach((side, index) => {
      if (side.chip !== chip) {
        chip = side.chip;
        group = make("optgroup", {label: side.title});
        field(`side-${name}`).append(group);
      }
      group.append(make("option", {value: index}, nameOf(side)));
    });
    field(`route-${name}`).append(...ROUTES.map((route) => make("option", {value: route}, route)));
  }
}

// The two newest dates of the chip. Without a chip: of the first chip whose two newest dates differ,
// or else of the first chip that has two dates.
function datesOf(chip) {
  const chips = [...new Set(data.sides.map((side) => side.chip))];
  const datesOfOne = (slug) => data.sides.flatMap(
    (side, index) => side.chip === slug && side.id !== slug ? [index] : []);
  const differs = ([newest, before]) => {
    const [a, b] = [before, newest].map((index) => marksOf(data.sides[index], "both"));
    return rowsOf(a, b).some(({direction}) => ["worse", "better"].includes(direction));
  };
  const withTwo = chips.filter((slug) => datesOfOne(slug).length > 1);
  const chosen = chips.includes(chip) ? chip
    : withTwo.find((slug) => differs(datesOfOne(slug))) ?? withTwo[0];
  const dates = datesOfOne(chosen ?? chips[0]);
  return [dates[1] ?? dates[0] ?? 0, dates[0] ?? 0];
}

function read() {
  const address = new URLSearchParams(location.hash.slice(1));
  const dates = datesOf(address.get("chip"));
  ["a", "b"].forEach((name, i) => {
    const named = data.sides.findIndex((side) => side.id === address.get(name));
    field(`side-${name}`).value = named < 0 ? dates[i] : named;
    const route = address.get(`r${name}`);
    field(`route-${name}`).value = ROUTES.includes(route) ? route : "both";
  });
  field("shown").value = address.get("shown") ?? "";
  if (field("shown").selectedIndex < 0) field("shown").value = "";
  draw();
}

if (data.sides.length > 0) {
  fill();
  read();
  for (const name of ["side-a", "side-b", "route-a", "route-b", "shown"]) {
    field(name).addEventListener("change", write);
  }
  addEventListener("hashchange", read);
}
