/** Recorded losses by length: any encodings side by side, with the exact limit. */

import {range} from "./formulas.js";
import {Explorable, add, fixed, list, oneOf, put, write} from "./kit.js";

const MOST = 6, LEFT = 34, RIGHT = 352, TOP = 26, FOOT = 210;
const BEGIN = ["none", "sinusoidal", "Shaw", "RoPE"];
const TITLES = {lag3: "three back, hidden", shift3: "three back, all", reverse: "backwards"};
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "5 2", "1 3"];

const mean = (seeds) => seeds.reduce((a, b) => a + b, 0) / seeds.length;

/** The axes, the limit, and a place for each of the curves. */
function chart(parent) {
  const picture = add(parent, "svg", {viewBox: "0 0 372 254", class: "chart", "aria-hidden": "true"});
  add(picture, "text", {x: 2, y: 9, class: "start hint"}, "loss, in nats");
  add(picture, "text", {x: 193, y: FOOT + 38, class: "hint"}, "length of the text, in tokens");
  const grid = range(10).map(() => [add(picture, "line", {x1: LEFT, x2: RIGHT, class: "grid"}),
    add(picture, "text", {x: LEFT - 8, class: "end"})]);
  const ticks = range(3).map(() => add(picture, "text", {y: FOOT + 20}));
  const limit = add(picture, "path", {class: "limit"});
  const curves = range(MOST).map((n) => {
    const group = add(picture, "g", {class: `c${n + 1}`});
    const line = add(group, "path", {class: "curve", "stroke-dasharray": DASHES[n]});
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
      put(path, {d: line(runs[name].map(mean))});
      const all = runs[name].flatMap((seeds, at) => seeds.map((loss) => [x(lengths[at]), y(loss)]));
      dots.forEach((dot, m) => put(dot, {cx: all[m]?.[0] ?? -9, cy: all[m]?.[1] ?? -9}));
    });
  };
}

/** A button for each encoding, with the colour of its curve while it is pressed in. */
function chips(figure, parent, names) {
  const box = add(parent, "div", {class: "chips", role: "group", "aria-label": "Encodings to compare"});
  const all = names.map((name) => {
    const chip = add(box, "button", {type: "button", class: "chip small"}, name);
    chip.addEventListener("click", () => {
      const {show} = figure.state;
      if (show.includes(name)) figure.set({show: show.filter((each) => each !== name)});
      else figure.set({show: [...show, name].slice(-MOST)});
    });
    return chip;
  });
  return (chosen, runs) => all.forEach((chip, n) => {
    const at = chosen.indexOf(names[n]);
    put(chip, {"aria-pressed": String(at >= 0)});
    chip.className = at < 0 ? "chip small" : `chip small c${at + 1}`;
    chip.hidden = !(names[n] in runs);
  });
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
  const show = chart(left), key = add(left, "p", {class: "key", "aria-hidden": "true"});
  const legend = range(MOST).map((n) => add(key, "span", {class: `swatch c${n + 1}`}));
  add(key, "span", {class: "swatch grey"}, "the exact limit");
  add(left, "p", {class: "hint"}, "A dot is a run, a line their mean.");
  add(right, "p", {class: "head"}, `Choose up to ${MOST} encodings`);
  const choose = chips(figure, right, names);
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
    legend.forEach((each, n) => {
      each.hidden = n >= chosen(state).length;
      write(each, chosen(state)[n] ?? "");
    });
    write(note, data[state.task].note);
  }, (state) => say(data[state.task], chosen(state)));
}
