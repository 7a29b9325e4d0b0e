/** Recorded losses by length: any encodings side by side, with the exact limit. */

import {range} from "./formulas.js";
import {Explorable, add, fixed, list, oneOf, put, write} from "./kit.js";

const MOST = 6, LEFT = 34, RIGHT = 352, TOP = 26, FOOT = 210;
const BEGIN = ["none", "sinusoidal", "Shaw", "RoPE"];
const TITLES = {lag3: "three back, hidden", shift3: "three back, all", reverse: "backwards"};
const DASHES = ["", "7 3", "9 3 2 3", "2 3", "5 2", "4 2 1 2 1 2", "1 2"];
const COLOURS = 7;
// Colour and dash of an encoding, the same as in the course's pictures (helpers.plots.STYLES).
const STYLES = {
  "sinusoidal": [0, 0], "learned": [1, 1], "Shaw keys": [2, 2], "Transformer-XL": [3, 3],
  "RoPE": [4, 4], "T5 bias": [5, 5], "none": [6, 6], "learned, std 1": [2, 4], "Fourier": [3, 5],
  "Huang": [4, 0], "clipped bias": [3, 1], "window": [6, 3], "Shaw": [2, 0]
};

/** The look of each name; those without a style of their own get one by their order. */
const looks = (names) => Object.fromEntries(names.map((name, n) =>
  [name, STYLES[name] ?? [n % COLOURS, (n + Math.floor(n / COLOURS)) % DASHES.length]]));

const mean = (seeds) => seeds.reduce((a, b) => a + b, 0) / seeds.length;

/** The axes, the limit, and a place for each of the curves. */
function chart(parent, look) {
  const picture = add(parent, "svg", {viewBox: "0 0 372 254", class: "chart", "aria-hidden": "true"});
  add(picture, "text", {x: 2, y: 9, class: "start hint"}, "loss, in nats");
  add(picture, "text", {x: 193, y: FOOT + 38, class: "hint"}, "length of the text, in tokens");
  const grid = range(10).map(() => [add(picture, "line", {x1: LEFT, x2: RIGHT, class: "grid"}),
    add(picture, "text", {x: LEFT - 8, class: "end"})]);
  const ticks = range(3).map(() => add(picture, "text", {y: FOOT + 20}));
  const limit = add(picture, "path", {class: "limit"});
  const curves = range(MOST).map(() => {
    const group = add(picture, "g"), line = add(group, "path", {class: "curve"});
    return {group, line, dots: range(9).map(() => add(group, "circle", {r: 3.5, class: "dot"}))};
  });
  return ({lengths, limit: least, runs}, chosen) => {
    const most = Math.max(1, ...chosen.flatMap((name) => runs[name].flat()));
    const step = most > 4.5 ? 1 : 0.5, top = step * Math.ceil(most / step);
    const longest = lengths.at(-1);
    const x = (length) => LEFT + ((RIGHT - LEFT) * length) / longest;
    const y = (loss) => FOOT - ((FOOT - TOP) * loss) / top;
    const line = (values) => `M${values.map((each, n) => `${x(lengths[n])} ${y(each)}`).join("L")}`;
    grid.forEach(([rule, text], n) => {
      const visibility = step * n <= top ? "visible" : "hidden";
      put(rule, {y1: y(step * n), y2: y(step * n), visibility});
      put(text, {y: y(step * n) + 4, visibility});
      write(text, fixed(step * n, 1));
    });
    ticks.forEach((text, n) => {
      put(text, {x: x(lengths[n])});
      write(text, String(lengths[n]));
    });
    put(limit, {d: line(least)});
    curves.forEach(({group, line: path, dots}, n) => {
      const name = chosen[n];
      put(group, {visibility: name === undefined ? "hidden" : "visible"});
      if (name === undefined) return;
      put(group, {class: `c${look[name][0] + 1}`});
      put(path, {d: line(runs[name].map(mean)), "stroke-dasharray": DASHES[look[name][1]]});
      const all = runs[name].flatMap((seeds, at) => seeds.map((loss) => [x(lengths[at]), y(loss)]));
      dots.forEach((dot, m) => put(dot, {cx: all[m]?.[0] ?? -9, cy: all[m]?.[1] ?? -9}));
    });
  };
}

/** A button for each encoding, with the colour of its curve while it is pressed in. */
function chips(figure, parent, names, look) {
  const box = add(parent, "div", {class: "chips", role: "group", "aria-label": "Encodings to compare"});
  const all = names.map((name) => {
    const chip = add(box, "button", {type: "button", class: "chip small"}, name);
    chip.addEventListener("click", () => {
      const {show} = figure.state;
      if (show.includes(name)) figure.set({show: show.filter((each) => each !== name)});
      else figure.set({show: [...show, name]});
    });
    return chip;
  });
  return (chosen, runs) => all.forEach((chip, n) => {
    const pressed = chosen.includes(names[n]);
    put(chip, {"aria-pressed": String(pressed), class: `chip small c${look[names[n]][0] + 1}`});
    chip.disabled = !pressed && chosen.length === MOST; // first one has to make room
    chip.hidden = !(names[n] in runs);
  });
}

/** A piece of each line with its name. */
function legend(key, chosen, look) {
  key.replaceChildren();
  for (const name of chosen) {
    const one = add(key, "span", {class: `c${look[name][0] + 1}`});
    const line = add(one, "svg", {viewBox: "0 0 30 8", class: "piece"});
    add(line, "path", {d: "M0 4h30", class: "curve", "stroke-dasharray": DASHES[look[name][1]]});
    one.append(name);
  }
  add(key, "span", {class: "swatch grey"}, "the exact limit");
}

function say({asks, lengths, limit, runs}, chosen) {
  const last = lengths.length - 1;
  const ranked = chosen.toSorted((a, b) => mean(runs[a][last]) - mean(runs[b][last]));
  const told = ranked.map((name) => `${name} ${fixed(mean(runs[name][last]))}`).join(", ");
  return `${asks} Trained on texts of ${lengths[0]} tokens, read at ${lengths[last]}, best first: ` +
    `${told || "choose an encoding"}; ${fixed(limit[last])} is the best that any model can do.`;
}

export default async function draw(element, options) {
  const data = await options.read("losses");
  const names = Object.keys(data.lag3.runs);
  const spec = {
    task: oneOf(Object.keys(data)),
    show: list(names, BEGIN.filter((name) => names.includes(name)), (found) => found.length <= MOST),
  };
  const figure = new Explorable(element, options, spec);
  const left = add(figure.stage, "div", {class: "part"}), right = add(figure.stage, "div", {class: "part"});
  const look = looks(names), show = chart(left, look);
  const key = add(left, "p", {class: "key", "aria-hidden": "true"});
  add(left, "p", {class: "hint"}, "A dot is a run, a line their mean.");
  add(right, "p", {class: "head"}, `Choose up to ${MOST} encodings`);
  const choose = chips(figure, right, names, look);
  figure.choice("task", "The task",
    Object.fromEntries(Object.keys(data).map((name) => [name, TITLES[name] ?? name])));
  const note = add(element, "p", {class: "note"});
  const chosen = ({task, show}) => show.filter((name) => name in data[task].runs);
  figure.table("All runs of this task as a table",
    ({task}) => ["encoding", ...data[task].lengths.map((length) => `${length} tokens`)],
    ({task}) => [["limit", ...data[task].limit.map((each) => fixed(each))],
      ...Object.entries(data[task].runs).map(([name, by]) =>
        [name, ...by.map((seeds) => seeds.map((loss) => fixed(loss)).join(", "))])]);
  figure.run((state) => {
    show(data[state.task], chosen(state));
    choose(chosen(state), data[state.task].runs);
    legend(key, chosen(state), look);
    write(note, data[state.task].note);
  }, (state) => say(data[state.task], chosen(state)));
}
