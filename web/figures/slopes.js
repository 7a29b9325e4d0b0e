/** ALiBi: each head's weights fall with the distance, at a slope of its own. */

import {alibi, range, slopes, softmax} from "./formulas.js";
import {Explorable, add, fixed, number, oneOf, put, write} from "./kit.js";

const WORDS = 33,
  MOST = 16,
  CELL = 9,
  LEFT = 6,
  TOP = 32, // below the word that looks
  HIGH = 240; // of all rows, however many there are, so that nothing below them moves

/** What each head looks at from `query`, by the bias alone. */
export const looks = (heads, query, form) =>
  slopes(heads).map((slope) => softmax(range(WORDS).map((key) => alibi(slope, key - query, form))));

/** In how many words 90 % of the weight lies. */
export function reach(weights) {
  let sum = 0;
  return weights.toSorted((a, b) => b - a).findIndex((each) => (sum += each) > 0.9) + 1;
}

const words = (count) => `${count} word${count === 1 ? "" : "s"}`;

/** 1/4 where the slope is a power of two, else a decimal number. */
function written(slope) {
  const power = -Math.log2(slope);
  return Number.isInteger(power) ? `1/${2 ** power}` : fixed(slope, slope < 0.01 ? 4 : 3);
}

function say({heads, query, form}) {
  const found = looks(heads, query, form),
    all = slopes(heads);
  const right = {
    causal: "Words to the right are hidden.",
    symmetric: "Left and right look the same, so this form cannot tell one from the other.",
    directional: "To the right it falls twice as fast, so left and right differ.",
  }[form];
  const [steep, flat] = [all.indexOf(Math.max(...all)), all.indexOf(Math.min(...all))];
  const first =
    heads === 1 ? "The only head has slope" : `Head ${steep + 1} has the steepest slope,`;
  const last =
    heads === 1
      ? ""
      : ` Head ${flat + 1}, with ${written(all[flat])}, spreads it over ${words(reach(found[flat]))}.`;
  return (
    `${first} ${written(all[steep])}: nine tenths of its weight lie on ` +
    `${words(reach(found[steep]))}.${last} Nothing is learned here. ${right}`
  );
}

export default function draw(element, options) {
  const figure = new Explorable(
    element,
    options,
    {
      heads: number(1, MOST, 8),
      query: number(0, WORDS - 1, 20),
      form: oneOf(["causal", "symmetric", "directional"]),
    },
    ["query"],
  );
  const box = `0 0 372 ${TOP + HIGH}`;
  const picture = add(figure.stage, "svg", {viewBox: box, class: "slopes"});
  const back = add(picture, "g", {"aria-hidden": "true"});
  add(back, "text", {x: 366, y: 16, class: "end"}, "slope");
  const rows = range(MOST).map(() => {
    const row = add(back, "g", {class: "c3"});
    const bars = range(WORDS).map((key) =>
      add(row, "rect", {x: LEFT + CELL * key, width: CELL - 1, rx: 1.5, class: "value"}),
    );
    add(row, "line", {x1: LEFT, x2: LEFT + CELL * WORDS - 1, class: "axis"});
    return {row, bars, slope: add(row, "text", {x: 366, y: -1, class: "end"})};
  });
  add(
    figure.stage,
    "p",
    {class: "key hint"},
    "a row is a head, a bar a word: the higher it is, the more the word counts",
  );
  const knob = add(picture, "g", {class: "c1"});
  add(knob, "rect", {x: -14, y: -2, width: 28, height: 28, class: "grasp"});
  const mark = add(knob, "line", {y1: 20, class: "thin dashed"});
  add(knob, "circle", {cy: 12, r: 10, class: "knob"});
  add(knob, "text", {y: 16, class: "on-knob"}, "q");
  const held = (value) => Math.max(0, Math.min(WORDS - 1, value));
  figure.handle(knob, "The word that looks", {
    to: (x) => ({query: held(Math.round((x - LEFT) / CELL - 0.5))}),
    by: (dx, dy, {query}) => ({query: held(query + dx + dy)}),
    now: ({query}) => [query, 0, WORDS - 1, `word ${query} of ${WORDS}`],
  });
  figure.slider("heads", "Number of heads", ({heads}) => `${heads}`);
  figure.choice("form", "To the right of a word", {
    causal: "hidden",
    symmetric: "as to the left",
    directional: "twice as steep",
  });
  figure.table(
    "Slopes and reach as a table",
    () => ["head", "slope", "90 % of the weight on"],
    ({heads, query, form}) =>
      looks(heads, query, form).map((weights, h) => [
        `head ${h + 1}`,
        written(slopes(heads)[h]),
        words(reach(weights)),
      ]),
  );
  figure.run(({heads, query, form}) => {
    const all = slopes(heads),
      high = Math.min(40, HIGH / heads);
    put(knob, {transform: `translate(${LEFT + CELL * (query + 0.5) - 0.5} 0)`});
    put(mark, {y2: TOP + high * heads});
    rows.forEach(({row, bars, slope}, h) => {
      put(row, {visibility: h < heads ? "visible" : "hidden"});
      if (h >= heads) return;
      put(row, {transform: `translate(0 ${TOP + high * (h + 1) - 1})`});
      write(slope, written(all[h]));
      // A word's weight beside that of the word itself.
      bars.forEach((bar, key) => {
        const height = (high - 4) * Math.exp(alibi(all[h], key - query, form));
        put(bar, {y: -height, height});
      });
    });
  }, say);
}
