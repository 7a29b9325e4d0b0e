/** RoPE: a query and a key turn by their positions; move both, and the angle between them stays. */

import {range, turned} from "./formulas.js";
import {Explorable, add, fixed, number, put, times, write} from "./kit.js";

const THETA = 0.3,
  WORDS = 20,
  STEP = 16,
  LEFT = 18; // radians a position; the line of words
const LINE = 88; // where it lies, below the bar and the query, above the key
const CONTENT = {q: 0.4, k: 1.0}; // angles before turning
const R = 90,
  WEDGE = 46;
const NAME = 1.14 * R; // where the arrows' names stand
const ASIDE = 0.2 * R; // how far the key's makes room for the query's

const place = (x) => Math.max(0, Math.min(WORDS - 1, Math.round((x - LEFT) / STEP)));
const within = (value) => Math.max(0, Math.min(WORDS - 1, value));

/** Both positions moved by `n`, or as far as there are words. */
function both({i, j}, n) {
  const by = Math.max(-Math.min(i, j), Math.min(WORDS - 1 - Math.max(i, j), n));
  return {i: i + by, j: j + by};
}

/** The line of words: a knob for the query above it, one for the key below, a bar that moves both. */
function line(figure, parent) {
  const picture = add(parent, "svg", {viewBox: "0 0 340 146", class: "line"});
  const back = add(picture, "g", {"aria-hidden": "true"});
  for (const n of range(WORDS)) {
    const x = LEFT + STEP * n;
    add(back, "rect", {x: x - 6, y: LINE - 6, width: 12, height: 12, rx: 3, class: "word"});
    if (n % 5 === 0 || n === WORDS - 1) add(back, "text", {x, y: 142}, n);
  }
  const bar = add(picture, "g", {class: "c3"}),
    grasp = add(bar, "rect", {y: 8, height: 28, class: "grasp"});
  const seen = add(bar, "rect", {y: 18, height: 8, rx: 4, class: "bar"});
  figure.handle(bar, "Query and key together", {
    to: (x, _, state) => both(state, Math.round((x - LEFT) / STEP - (state.i + state.j) / 2)),
    by: (dx, dy, state) => both(state, dx + dy),
    now: ({i, j}) => [Math.min(i, j), 0, WORDS - 1, `query at ${i}, key at ${j}`],
  });
  const knobs = [
    ["i", "q", "Query", 1, LINE - 24],
    ["j", "k", "Key", 2, LINE + 24],
  ].map(([key, letter, name, n, y]) => {
    const knob = add(picture, "g", {class: `c${n}`});
    add(knob, "line", {y1: LINE, y2: y, class: "cut"});
    add(knob, "rect", {x: -14, y: y - 14, width: 28, height: 28, class: "grasp"});
    add(knob, "circle", {cy: y, r: 10, class: "knob"});
    add(knob, "text", {y: y + 4, class: "on-knob"}, letter);
    figure.handle(knob, `${name}'s position`, {
      to: (x) => ({[key]: place(x)}),
      by: (dx, dy, state) => ({[key]: within(state[key] + dx + dy)}),
      now: (state) => [state[key], 0, WORDS - 1, `${name} at position ${state[key]}`],
    });
    return (state) => put(knob, {transform: `translate(${LEFT + STEP * state[key]} 0)`});
  });
  return (state) => {
    const low = LEFT + STEP * Math.min(state.i, state.j),
      wide = STEP * Math.abs(state.i - state.j);
    put(grasp, {x: low - 14, width: wide + 28});
    put(seen, {x: low - 10, width: wide + 20});
    for (const each of knobs) each(state);
  };
}

/** The circle on which both are arrows, with the angle between them. */
function circle(parent) {
  const picture = add(parent, "svg", {
    viewBox: "-126 -126 252 252",
    class: "circle",
    "aria-hidden": "true",
  });
  add(picture, "circle", {r: R, class: "dial"});
  const wedge = add(picture, "path", {class: "c3 between"});
  const arrows = ["q", "k"].map((name, n) => [
    add(picture, "line", {class: `ghost c${n + 1}`}),
    add(picture, "line", {class: `hand c${n + 1}`}),
    add(picture, "text", {class: `strong ink${n + 1}`}, name),
  ]);
  arrows.forEach(([ghost], n) => {
    const [x, y] = turned([R, 0], Object.values(CONTENT)[n]);
    put(ghost, {x2: x, y2: -y});
  });
  return ({i, j}) => {
    const angles = [CONTENT.q + i * THETA, CONTENT.k + j * THETA];
    const gap = Math.atan2(Math.sin(angles[1] - angles[0]), Math.cos(angles[1] - angles[0]));
    const names = [NAME, NAME + ASIDE * Math.max(0, 1 - Math.abs(gap) / 0.5)];
    arrows.forEach(([, hand, name], n) => {
      const [x, y] = turned([R, 0], angles[n]),
        [nameX, nameY] = turned([names[n], 0], angles[n]);
      put(hand, {x2: x, y2: -y});
      put(name, {x: nameX, y: 4 - nameY});
    });
    const [from, to] = angles.map((angle) => turned([WEDGE, 0], angle)); // the shorter way round
    put(wedge, {
      d:
        `M0 0L${from[0]} ${-from[1]}A${WEDGE} ${WEDGE} 0 0 ${gap > 0 ? 0 : 1} ` +
        `${to[0]} ${-to[1]}Z`,
    });
  };
}

/** The score of the turned pair, both of length 1. */
export const score = (i, j) => Math.cos(CONTENT.k - CONTENT.q + (j - i) * THETA);

/** The score by offset, with a point that stays where it is while both move. */
function curve(parent) {
  const picture = add(parent, "svg", {
    viewBox: "0 0 340 130",
    class: "line",
    "aria-hidden": "true",
  });
  const x = (offset) => 170 + (150 * offset) / (WORDS - 1),
    y = (value) => 66 - 34 * value;
  add(picture, "line", {x1: 20, x2: 320, y1: y(0), y2: y(0), class: "axis"});
  add(picture, "line", {x1: x(0), x2: x(0), y1: 26, y2: 106, class: "grid"});
  const all = range(20 * WORDS).map((n) => (n / 10 - WORDS) * ((WORDS - 1) / WORDS));
  const path = all.map((offset) => `${x(offset)} ${y(score(0, offset))}`).join("L");
  add(picture, "path", {d: `M${path}`, class: "curve c3"});
  for (const [at, text] of [
    [-15, "to the left"],
    [0, "offset j − i"],
    [15, "to the right"],
  ])
    add(picture, "text", {x: x(at), y: 126}, text);
  const stem = add(picture, "line", {y1: y(0), class: "cut c3"});
  const point = add(picture, "circle", {r: 7, class: "knob c3"}),
    text = add(picture, "text", {x: 170, y: 13, class: "strong"});
  return ({i, j}) => {
    const value = score(i, j),
      at = {x: x(j - i), y: y(value)};
    put(stem, {x1: at.x, x2: at.x, y2: at.y});
    put(point, {cx: at.x, cy: at.y});
    write(text, `score ${fixed(value)}`);
  };
}

function say({i, j}) {
  const away = Math.abs(j - i),
    side = j < i ? "to the left of" : "to the right of";
  const where = away ? `${away} ${side} the query` : "where the query is";
  return (
    `The query at ${i} has turned ${times(i)} by ${fixed(THETA, 1)} radians, the key at ${j} ` +
    `has turned ${times(j)}. The key is ${where}, and their score is ${fixed(score(i, j))}. Drag the bar: ` +
    "both arrows turn, and what is green stays, the angle between them and so the score."
  );
}

export default function draw(element, options) {
  const spec = {i: number(0, WORDS - 1, 11), j: number(0, WORDS - 1, 6)};
  const figure = new Explorable(element, options, spec, ["i", "j"]);
  const part = (title) => {
    const made = add(figure.stage, "div", {class: "part"});
    add(made, "p", {class: "head"}, title);
    return made;
  };
  const text = part("1. A query and a key stand in a text"),
    turn = part("2. Each turns by its own position"),
    scores = part("3. Their score depends on the offset");
  const parts = [line(figure, text), circle(turn), curve(scores)];
  add(turn, "p", {class: "hint"}, "faint: before they are turned");
  figure.button("Move both one on", (state) => both(state, 1));
  figure.button("Move both one back", (state) => both(state, -1));
  figure.run((state) => parts.forEach((each) => each(state)), say);
}
