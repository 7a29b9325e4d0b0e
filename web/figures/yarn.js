/** YaRN's ramp: which pairs of RoPE stay as they are, and which are slowed for a longer text. */

import {frequencies, range, yarn} from "./formulas.js";
import {Explorable, add, fixed, number, put, times} from "./kit.js";

const D = 128,
  PAIRS = D / 2,
  BASE = 10_000,
  MOST = 32;
const LEFT = 34,
  RIGHT = 352,
  TOP = 40,
  FOOT = 216;

// What is drawn how; YaRN's dots have the colours of kept, blended and slowed.
const LINES = {
  "": "YaRN",
  "thin dashed c1": "position interpolation: all alike",
  "thin c4": "NTK-aware: another base",
};

const across = (pair) => LEFT + ((RIGHT - LEFT) * pair) / (PAIRS - 1);
const up = (slowed) => FOOT - ((FOOT - TOP) * Math.log(slowed)) / Math.log(MOST);
const {format: thousands} = new Intl.NumberFormat("en");

/** How often pair n, whole or not, turns within `length` positions; and the other way round. */
export const turns = (pair, length) => (length * BASE ** ((-2 * pair) / D)) / (2 * Math.PI);
const pairOf = (times, length) =>
  (D * Math.log(length / (times * 2 * Math.PI))) / (2 * Math.log(BASE));

/** How much slower pair n turns by the NTK-aware way, which changes the base. */
export const ntk = (n, factor) => factor ** ((2 * n) / (D - 2));

const LIMITS = {fast: [2, 128], slow: [0.1, 16]};

/** `times` as this end of the ramp may have it: the fast end stays above the slow one. */
function allowed(key, times, state) {
  const [least, most] = LIMITS[key];
  const round = key === "fast" ? Math.round(times) : Math.round(10 * times) / 10;
  const bound = key === "fast" ? Math.max(round, state.slow + 1) : Math.min(round, state.fast - 1);
  return {[key]: Math.max(least, Math.min(most, bound))};
}

function chart(figure) {
  const picture = add(figure.stage, "svg", {viewBox: "0 0 372 262", class: "yarn"});
  const back = add(picture, "g", {"aria-hidden": "true"});
  const zones = ["c3", "c6", "c2"].map((name) =>
    add(back, "rect", {y: TOP - 10, height: FOOT - TOP + 16, class: `zone ${name}`}),
  );
  const names = ["kept", "blended", "slowed"].map((text) => add(back, "text", {y: 22}, text));
  for (const slowed of [1, 2, 4, 8, 16, 32]) {
    add(back, "line", {x1: LEFT, x2: RIGHT, y1: up(slowed), y2: up(slowed), class: "grid"});
    add(back, "text", {x: LEFT - 7, y: up(slowed) + 4, class: "end"}, `÷${slowed}`);
  }
  for (const pair of [0, 16, 32, 48, 63]) add(back, "text", {x: across(pair), y: FOOT + 22}, pair);
  add(
    back,
    "text",
    {x: 193, y: FOOT + 40, class: "hint"},
    "pair of columns, from the fastest to the slowest",
  );
  const plain = add(back, "path", {class: "thin dashed c1"}),
    rebased = add(back, "path", {class: "thin c4"});
  const dots = range(PAIRS).map((n) => add(back, "circle", {r: 2.6, cx: across(n)}));
  const ends = [
    ["fast", "Pairs are kept if they turn", 3],
    ["slow", "Pairs are slowed if they turn", 2],
  ].map(([key, label, colour]) => {
    const knob = add(picture, "g", {class: `c${colour}`});
    add(knob, "line", {y1: TOP - 10, y2: FOOT + 6, class: "cut"});
    add(knob, "rect", {x: -14, y: TOP - 12, width: 28, height: FOOT - TOP + 24, class: "grasp"});
    add(knob, "circle", {cy: key === "fast" ? 96 : 150, r: 9, class: "knob"});
    add(knob, "text", {y: key === "fast" ? 100 : 154, class: "on-knob"}, "↔");
    figure.handle(knob, label, {
      to: (x, _, state) =>
        allowed(key, turns(((x - LEFT) / (RIGHT - LEFT)) * (PAIRS - 1), 2 ** state.length), state),
      by: (dx, dy, state) =>
        allowed(key, state[key] - (dx + dy) * (key === "fast" ? 1 : 0.1), state),
      // Its value is the pair at which it stands: the less a pair turns, the further right it is.
      now: (state) => [
        ...[state[key], ...LIMITS[key].toReversed()].map((each) => pairOf(each, 2 ** state.length)),
        `at ${key === "fast" ? "least" : "most"} ${times(state[key])} within the trained length`,
      ],
    });
    return [key, knob];
  });
  return ({length, factor, fast, slow}) => {
    const ramp = yarn(D, 2 ** length, factor, {base: BASE, fast, slow});
    // On this axis, a logarithm, both are straight, so their ends say it all.
    const path = (slowed) => `M${LEFT} ${up(slowed(0))}L${RIGHT} ${up(slowed(PAIRS - 1))}`;
    ramp.after.forEach((theta, n) => {
      put(dots[n], {
        cy: up(ramp.before[n] / theta),
        class: ramp.ramp[n] === 0 ? "c3 dot" : ramp.ramp[n] === 1 ? "c2 dot" : "c6 dot",
      });
    });
    put(plain, {d: path(() => factor)});
    put(rebased, {d: path((n) => ntk(n, factor))});
    const at = (pair) => Math.max(LEFT - 4, Math.min(RIGHT + 4, across(pair)));
    const edges = [LEFT - 4, at(ramp.low), at(Math.min(ramp.high, PAIRS)), RIGHT + 4];
    zones.forEach((zone, n) =>
      put(zone, {x: edges[n], width: Math.max(0, edges[n + 1] - edges[n])}),
    );
    names.forEach((name, n) => {
      const room = edges[n + 1] - edges[n];
      put(name, {x: (edges[n] + edges[n + 1]) / 2, visibility: room > 44 ? "visible" : "hidden"});
    });
    for (const [key, knob] of ends)
      put(knob, {
        transform: `translate(${at(pairOf(key === "fast" ? fast : slow, 2 ** length))} 0)`,
      });
  };
}

function say({length, factor, fast, slow}) {
  const {ramp} = yarn(D, 2 ** length, factor, {base: BASE, fast, slow});
  const trained = thousands(2 ** length),
    often = range(PAIRS).map((n) => turns(n, 2 ** length));
  if (factor === 1)
    return (
      `A model trained on ${trained} tokens is to read as many: no angle is new, and no pair is ` +
      "slowed. Let it read longer texts."
    );
  const kept = ramp.filter((each) => each === 0).length,
    slowed = ramp.filter((each) => each === 1).length;
  const all = often.filter((each, n) => ramp[n] === 1 && each > 1).length; // these have seen all angles
  return (
    `A model trained on ${trained} tokens is to read ${thousands(2 ** length * factor)}. ` +
    `Kept are the pairs that turn at least ${times(fast)} in a trained text (${kept} of ${PAIRS}` +
    `${often[0] < fast ? "; the fastest always is" : ""}): they have seen every angle, and tell neighbours ` +
    `apart. Slowed ${factor}-fold are those that turn at most ${times(slow, fixed(slow, slow % 1 ? 1 : 0))} ` +
    `(${slowed})${all ? `, ${all} of which have seen every angle` : ": a longer text would bring them new angles"}. ` +
    `Those between are blended (${PAIRS - kept - slowed}).`
  );
}

export default function draw(element, options) {
  const figure = new Explorable(
    element,
    options,
    {
      factor: number(1, MOST, 8),
      length: number(9, 15, 12),
      fast: number(2, 128, 32),
      slow: number(0.1, 16, 1, 0.1),
    },
    ["factor", "length"],
  );
  const show = chart(figure);
  const key = add(figure.stage, "p", {class: "key"});
  for (const [kind, text] of Object.entries(LINES)) {
    const one = add(key, "span");
    const piece = add(one, "svg", {viewBox: "0 0 30 8", class: "piece", "aria-hidden": "true"});
    if (kind) add(piece, "path", {d: "M0 4h30", class: kind});
    else
      ["c3", "c6", "c2"].forEach((colour, n) =>
        add(piece, "circle", {cx: 5 + 10 * n, cy: 4, r: 2.6, class: `dot ${colour}`}),
      );
    one.append(text);
  }
  figure.slider("factor", "Read longer texts", ({factor}) =>
    factor === 1 ? "as long" : `${factor} times as long`,
  );
  figure.slider("length", "Trained on texts of", ({length}) => `${thousands(2 ** length)} tokens`);
  figure.table(
    "The pairs as a table",
    () => ["pair", "turns in a trained text", "YaRN slows it by", "interpolation", "NTK-aware"],
    ({length, factor, fast, slow}) => {
      const {before, after} = yarn(D, 2 ** length, factor, {base: BASE, fast, slow});
      return frequencies(D, BASE).map((_, n) => [
        `${n}`,
        fixed(turns(n, 2 ** length)),
        fixed(before[n] / after[n]),
        `${factor}`,
        fixed(ntk(n, factor)),
      ]);
    },
  );
  figure.run(show, say);
}
