/** P W M_k Pᵀ: what the product of two positions tells, behind a matrix that one drags. */

import {range, similarity} from "./formulas.js";
import {matrix} from "./colours.js";
import {Explorable, add, fixed, number, put} from "./kit.js";

const T = 48,
  WIDTH = 32,
  UNIT = 46; // pixels of 1 in the plane of the arrows
const BASE = 100; // small, so that each pair turns within the picture
const ROWS = {16: "c7", 32: "c4"}; // whose curves are drawn, and in which colour
const PARTS = {a: 1, b: 0, c: 0, d: 1};
const PRESETS = {
  "No matrix": {...PARTS, k: 0},
  "Turn it": {a: 0.6, b: 0.8, c: -0.8, d: 0.6, k: 0},
  "Mirror it": {a: -1, b: 0, c: 0, d: 1, k: 0},
  "Look 5 back": {...PARTS, k: 5},
};

const bound = (value) => Math.max(-1.5, Math.min(1.5, Math.round(20 * value) / 20));

/** The plane with the two columns of W as arrows that one drags by their tips. */
function plane(figure, parent) {
  const picture = add(parent, "svg", {viewBox: "0 0 200 200", class: "plane"});
  const back = add(picture, "g", {"aria-hidden": "true", transform: "translate(100 100)"});
  for (const n of range(5)) {
    const at = UNIT * (n - 2);
    add(back, "line", {x1: -94, x2: 94, y1: at, y2: at, class: n === 2 ? "axis" : "grid"});
    add(back, "line", {y1: -94, y2: 94, x1: at, x2: at, class: n === 2 ? "axis" : "grid"});
  }
  add(back, "circle", {r: UNIT, class: "dial"});
  const square = add(back, "path", {class: "shape"});
  const arrows = [
    ["a", "c", "sine", 1],
    ["b", "d", "cosine", 3],
  ].map(([x, y, name, n]) => {
    const line = add(back, "line", {class: `hand c${n}`});
    const tip = add(picture, "g", {class: `c${n}`});
    add(tip, "circle", {r: 22, class: "grasp"});
    add(tip, "circle", {r: 9, class: "knob"});
    add(tip, "text", {y: -15, class: "strong"}, name);
    figure.handle(tip, `Where the matrix sends the ${name}`, {
      to: (px, py) => ({[x]: bound((px - 100) / UNIT), [y]: bound((100 - py) / UNIT)}),
      by: (dx, dy, state) => ({[x]: bound(state[x] + dx / 20), [y]: bound(state[y] + dy / 20)}),
      now: (state) => [state[x], -1.5, 1.5, `${fixed(state[x])} sine, ${fixed(state[y])} cosine`],
    });
    return (state) => {
      const [px, py] = [UNIT * state[x], -UNIT * state[y]];
      put(line, {x2: px, y2: py});
      put(tip, {transform: `translate(${px + 100} ${py + 100})`});
    };
  });
  return (state) => {
    const {a, b, c, d} = state,
      at = (x, y) => `${UNIT * x} ${-UNIT * y}`;
    put(square, {d: `M0 0L${at(a, c)}L${at(a + b, c + d)}L${at(b, d)}Z`});
    for (const each of arrows) each(state);
  };
}

/** The products as colours, and where the two rows lie that are drawn as curves. */
function products(parent) {
  const box = add(parent, "div", {class: "products"});
  const paint = matrix(add(box, "canvas", {class: "heat", "aria-hidden": "true"}), T, T);
  const marks = add(box, "svg", {viewBox: `0 0 ${T} ${T}`, "aria-hidden": "true"});
  for (const [row, colour] of Object.entries(ROWS))
    add(marks, "path", {d: `M-1 ${Number(row) + 0.5}h${T + 2}`, class: `mark ${colour}`});
  return paint;
}

/** Two rows of the matrix as curves over the offset, one on the other where only that counts. */
function curves(parent) {
  const picture = add(parent, "svg", {
    viewBox: "0 0 300 120",
    class: "curves",
    "aria-hidden": "true",
  });
  add(picture, "line", {x1: 6, x2: 294, y1: 54, y2: 54, class: "axis"});
  add(picture, "line", {x1: 150, x2: 150, y1: 4, y2: 100, class: "grid"});
  const labels = {20: "15 to the left", 150: "itself", 280: "15 to the right"};
  for (const [x, text] of Object.entries(labels))
    add(picture, "text", {x, y: 115, class: x < 100 ? "start" : x > 200 ? "end" : ""}, text);
  const paths = Object.entries(ROWS).map(([row, colour]) => [
    Number(row),
    add(picture, "path", {class: `curve ${colour}`}),
  ]);
  return (values) =>
    paths.forEach(([row, path]) => {
      const points = range(31).map(
        (at) => `${10 + (280 * at) / 30} ${54 - 32 * values[row * T + row + at - 15]}`,
      );
      put(path, {d: `M${points.join("L")}`});
    });
}

const near = (x, y) => Math.abs(x - y) < 1e-9;

/** Is a product the same along each diagonal, and the same to the left as to the right? */
export function properties({a, b, c, d, k}) {
  const offset = near(a, d) && near(b, -c); // a rotation, perhaps longer: no part that mirrors
  return {offset, even: offset && near(b, 0) && k === 0};
}

function say(state) {
  const {offset, even} = properties(state);
  const looks = state.k ? ` It looks ${state.k} positions to the left.` : "";
  const {a, b, c, d} = state,
    pair = (...values) => values.map((each) => fixed(each)).join(" and ");
  const matrix = `The matrix sends a sine to ${pair(a, c)}, a cosine to ${pair(b, d)}. `;
  if (even && near(a, 1))
    return (
      "Purple is alike, orange opposite. The stripes run along the diagonals: the product of " +
      "two positions depends on how far apart they are, and not on where; left and right look the same."
    );
  if (near(a, 0) && offset && near(b, 0)) return `${matrix}All products are 0: they tell nothing.`;
  if (even)
    return (
      `${matrix}It only ${a < 0 ? "turns each sign" : "stretches"}: still the product of two positions depends on how far apart ` +
      "they are, and not on where, and left and right look the same."
    );
  if (offset)
    return (
      `${matrix}Still stripes along the diagonals, and one curve over the other: only the ` +
      `offset counts. But left and right now differ, so a model can tell them apart.${looks}`
    );
  return (
    `${matrix}The stripes are broken and the two curves part: now the same offset means ` +
    `one thing early in the text and another thing later.${looks}`
  );
}

export default function draw(element, options) {
  const parts = Object.fromEntries(
    Object.entries(PARTS).map(([key, start]) => [key, number(-1.5, 1.5, start, 0.05)]),
  );
  const spec = {...parts, k: number(0, 12, 0)};
  const figure = new Explorable(element, options, spec, Object.keys(spec));
  const pair = add(figure.stage, "div", {class: "pair"});
  const left = add(pair, "div", {class: "part"}),
    right = add(pair, "div", {class: "part"});
  add(left, "p", {class: "head"}, "1. Drag the two arrows: they are the matrix");
  const arrows = plane(figure, left);
  add(right, "p", {class: "head"}, "2. All positions, each times each");
  const paint = products(right),
    legend = add(figure.stage, "p", {class: "key"});
  add(legend, "span", {class: "swatch alike"}, "alike");
  add(legend, "span", {class: "swatch opposite"}, "opposite");
  add(figure.stage, "p", {class: "head"}, "3. Two rows of it, by offset");
  const rows = curves(figure.stage),
    names = add(figure.stage, "p", {class: "key"});
  for (const [row, colour] of Object.entries(ROWS))
    add(names, "span", {class: `swatch ${colour}`}, `position ${row}`);
  figure.slider("k", "Also look back by", ({k}) => `${k} position${k === 1 ? "" : "s"}`);
  for (const [name, state] of Object.entries(PRESETS)) figure.button(name, () => state);
  const found = ({a, b, c, d, k}) => similarity(T, WIDTH, [a, b, c, d], k, BASE);
  const drawn = Object.keys(ROWS).map(Number);
  figure.table(
    "The two rows as a table",
    () => ["offset", ...drawn.map((row) => `position ${row}`)],
    (state) => {
      const values = found(state);
      return range(31)
        .map((n) => n - 15)
        .map((offset) => [
          fixed(offset, 0),
          ...drawn.map((row) => fixed(values[row * T + row + offset])),
        ]);
    },
  );
  figure.run((state) => {
    const values = found(state);
    arrows(state);
    paint(values, options.theme);
    rows(values);
  }, say);
}
