/** Recorded losses by length: any encodings side by side, with the exact limit. */

import {range} from "./formulas.js";
import {Explorable, add, fixed, list, oneOf, put, write} from "./kit.js";

const MOST = 6,
  LEFT = 30,
  NAMES = 112,
  TOP = 26,
  FOOT = 236,
  HIGH = 290; // pixels
const LINE = 13,
  ROOM = 16; // from line to line of a name; letters that fit into one
// Those that most readers look for; the others unfold.
const KNOWN = [
  "none",
  "sinusoidal",
  "learned",
  "Shaw",
  "Transformer-XL",
  "T5 bias",
  "ALiBi, symmetric",
  "RoPE",
];
const BEGIN = ["none", "sinusoidal", "Shaw", "RoPE"];
const TITLES = {lag3: "three back, hidden", shift3: "three back, all", reverse: "backwards"};
const DASHES = ["", "7 3", "9 3 2 3", "2 3", "5 2", "4 2 1 2 1 2", "1 2"];
const COLOURS = 7;
// Colour and dash of an encoding, the same as in the course's pictures (helpers.plots.STYLES).
// prettier-ignore
const STYLES = {
  "sinusoidal": [0, 0], "learned": [1, 1], "Shaw keys": [2, 2], "Transformer-XL": [3, 3],
  "RoPE": [4, 4], "T5 bias": [5, 5], "none": [6, 6], "learned, std 1": [2, 4], "Fourier": [3, 5],
  "Huang": [4, 0], "clipped bias": [3, 1], "window": [6, 3], "Shaw": [2, 0]
};

/** The look of each name; those without a style of their own get one by their order. */
const looks = (names) =>
  Object.fromEntries(
    names.map((name, n) => [
      name,
      STYLES[name] ?? [n % COLOURS, (n + Math.floor(n / COLOURS)) % DASHES.length],
    ]),
  );

const mean = (seeds) => seeds.reduce((a, b) => a + b, 0) / seeds.length;

/** Middles as near as they can be to those wanted, in boxes that do not overlap and end at `foot`. */
export function spread(wanted, high, foot) {
  const order = range(wanted.length).sort((a, b) => wanted[a] - wanted[b]),
    found = [...wanted];
  const gap = (a, b) => (high[a] + high[b]) / 2;
  order
    .slice(1)
    .forEach((n, i) => (found[n] = Math.max(found[n], found[order[i]] + gap(n, order[i]))));
  let below = foot;
  for (const n of order.toReversed()) {
    found[n] = Math.min(found[n], below - high[n] / 2);
    below = found[n] - high[n] / 2;
  }
  return found;
}

/** The name of a curve in one line, or in two where it is long. */
const lines = (name) => (name.length > ROOM ? name.replace(", ", ",\n").split("\n") : [name]);

/** Names at the ends of curves, each led to from its curve. */
function names(picture) {
  const all = range(MOST + 1).map(() => {
    const group = add(picture, "g");
    const lead = add(group, "path", {class: "lead"});
    return {group, lead, rows: range(2).map(() => add(group, "text", {class: "start"}))};
  });
  return (x, told) => {
    const texts = told.map(({name}) => lines(name));
    const at = spread(
      told.map(({y}) => y),
      texts.map((each) => LINE * each.length + 3),
      FOOT + 8,
    );
    all.forEach(({group, lead, rows}, n) => {
      put(group, {visibility: n < told.length ? "visible" : "hidden"});
      if (n >= told.length) return;
      put(group, {class: told[n].colour});
      put(lead, {d: `M${x + 5} ${told[n].y}L${x + 14} ${at[n]}`});
      rows.forEach((row, line) => {
        put(row, {x: x + 18, y: at[n] + 4 + LINE * (line - (texts[n].length - 1) / 2)});
        write(row, texts[n][line] ?? "");
      });
    });
  };
}

/** The axes, the limit, and a place for each of the curves. */
function chart(figure, look) {
  const [picture, wide] = figure.picture(figure.stage, HIGH, "chart");
  add(picture, "text", {x: 2, y: 9, class: "start"}, "loss, in nats");
  const below = add(picture, "text", {y: FOOT + 50}, "length of the text, in tokens");
  const grid = range(10).map(() => [
    add(picture, "line", {x1: LEFT, class: "grid"}),
    add(picture, "text", {x: LEFT - 6, class: "end"}),
  ]);
  const ticks = range(3).map(() => add(picture, "text", {y: FOOT + 18}));
  const trained = add(picture, "text", {y: FOOT + 32}, "as trained");
  const limit = add(picture, "path", {class: "limit"}),
    name = names(picture);
  const curves = range(MOST).map(() => {
    const group = add(picture, "g"),
      line = add(group, "path", {class: "curve"});
    return {group, line, dots: range(9).map(() => add(group, "circle", {r: 3.5, class: "dot"}))};
  });
  return ({lengths, limit: least, runs}, chosen) => {
    const most = Math.max(1, ...chosen.flatMap((name) => runs[name].flat()));
    const step = most > 4.5 ? 1 : 0.5,
      top = step * Math.ceil(most / step);
    const longest = lengths.at(-1),
      right = wide() - NAMES;
    const x = (length) => LEFT + ((right - LEFT) * length) / longest;
    const y = (loss) => FOOT - ((FOOT - TOP) * loss) / top;
    const line = (values) => `M${values.map((each, n) => `${x(lengths[n])} ${y(each)}`).join("L")}`;
    grid.forEach(([rule, text], n) => {
      const visibility = step * n <= top ? "visible" : "hidden";
      put(rule, {y1: y(step * n), y2: y(step * n), x2: right, visibility});
      put(text, {y: y(step * n) + 4, visibility});
      write(text, fixed(step * n, 1));
    });
    ticks.forEach((text, n) => {
      put(text, {x: x(lengths[n])});
      write(text, String(lengths[n]));
    });
    put(below, {x: (LEFT + right) / 2});
    put(trained, {x: x(lengths[0])});
    put(limit, {d: line(least)});
    name(right, [
      {name: "the exact limit", y: y(least.at(-1)), colour: "grey"},
      ...chosen.map((each) => ({
        name: each,
        y: y(mean(runs[each].at(-1))),
        colour: `c${look[each][0] + 1}`,
      })),
    ]);
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
function chips(figure, encodings, look) {
  const box = add(figure.stage, "div", {
    class: "part",
    role: "group",
    "aria-label": "Encodings to compare",
  });
  add(
    box,
    "p",
    {class: "head"},
    `Choose up to ${MOST} encodings. A dot is a run, a line their mean.`,
  );
  const known = add(box, "div", {class: "chips"}),
    fold = add(box, "details");
  add(fold, "summary", {}, `${encodings.length - KNOWN.length} more`);
  const more = add(fold, "div", {class: "chips"});
  const all = encodings.map((name) => {
    const row = KNOWN.includes(name) ? known : more;
    const chip = add(row, "button", {type: "button", class: "chip small"}, name);
    chip.addEventListener("click", () => {
      const {show} = figure.state;
      if (show.includes(name)) figure.set({show: show.filter((each) => each !== name)});
      else figure.set({show: [...show, name]});
    });
    return chip;
  });
  return (chosen, runs) =>
    all.forEach((chip, n) => {
      const pressed = chosen.includes(encodings[n]);
      put(chip, {
        "aria-pressed": String(pressed),
        class: `chip small c${look[encodings[n]][0] + 1}`,
      });
      chip.disabled = !pressed && chosen.length === MOST; // first one has to make room
      chip.hidden = !(encodings[n] in runs);
    });
}

function say({asks, lengths, limit, runs}, chosen) {
  const last = lengths.length - 1;
  const ranked = chosen.toSorted((a, b) => mean(runs[a][last]) - mean(runs[b][last]));
  const told = ranked.map((name) => `${name} ${fixed(mean(runs[name][last]))}`).join(", ");
  return (
    `${asks} Trained on texts of ${lengths[0]} tokens, read at ${lengths[last]}, best first: ` +
    `${told || "choose an encoding"}; ${fixed(limit[last])} is the best that any model can do.`
  );
}

export default async function draw(element, options) {
  const data = await options.read("losses");
  const encodings = Object.keys(data.lag3.runs);
  const spec = {
    task: oneOf(Object.keys(data)),
    show: list(encodings, BEGIN, (found) => found.length <= MOST),
  };
  const figure = new Explorable(element, options, spec);
  const look = looks(encodings),
    show = chart(figure, look),
    choose = chips(figure, encodings, look);
  figure.choice(
    "task",
    "The task",
    Object.fromEntries(Object.keys(data).map((name) => [name, TITLES[name] ?? name])),
  );
  const note = add(element, "p", {class: "note"});
  const chosen = ({task, show}) => show.filter((name) => name in data[task].runs);
  figure.table(
    "All runs of this task as a table",
    ({task}) => ["encoding", ...data[task].lengths.map((length) => `${length} tokens`)],
    ({task}) => [
      ["limit", ...data[task].limit.map((each) => fixed(each))],
      ...Object.entries(data[task].runs).map(([name, by]) => [
        name,
        ...by.map((seeds) => seeds.map((loss) => fixed(loss)).join(", ")),
      ]),
    ],
  );
  figure.run(
    (state) => {
      show(data[state.task], chosen(state));
      choose(chosen(state), data[state.task].runs);
      write(note, data[state.task].note);
    },
    (state) => say(data[state.task], chosen(state)),
  );
}
