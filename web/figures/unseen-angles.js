/** RoPE beyond its length: offsets that were never seen in training, and the clip that cures it. */

import {frequencies, range, reached} from "./formulas.js";
import {Explorable, add, fixed, number, oneOf, put, write} from "./kit.js";

const R = 34,
  MOST = 96,
  FOOT = 150,
  LEFT = 34,
  RIGHT = 352;

/** Two arcs from `from` to `to`, parts of a circle, to either side of twelve o'clock. */
function arcs(from, to) {
  if (to - from < 0.0005) return "";
  const at = (part) => `${R * Math.sin(2 * Math.PI * part)} ${-R * Math.cos(2 * Math.PI * part)}`;
  return `M${at(from)}A${R} ${R} 0 0 1 ${at(to)}M${at(-from)}A${R} ${R} 0 0 0 ${at(-to)}`;
}

function dial(parent, pair, theta) {
  const picture = add(parent, "svg", {
    viewBox: "-50 -60 100 126",
    class: "face",
    "aria-hidden": "true",
  });
  add(picture, "text", {y: -45, class: "strong"}, `pair ${pair}`);
  add(picture, "circle", {r: R, class: "dial"});
  const unseen = add(picture, "path", {class: "ring c2"}),
    seen = add(picture, "path", {class: "ring c1"});
  const needles = [1, -1].map((side) => [side, add(picture, "line", {class: "hand"})]),
    label = add(picture, "text", {y: 54});
  return (largest, trained, clipped) => {
    const known = reached(Math.min(largest, trained - 1), theta);
    const asked = clipped ? known : reached(largest, theta);
    const furthest = (clipped ? Math.min(largest, trained - 1) : largest) * theta;
    put(seen, {d: arcs(0, known)});
    put(unseen, {d: arcs(known, asked)});
    for (const [side, needle] of needles)
      put(needle, {x2: side * (R - 8) * Math.sin(furthest), y2: -(R - 8) * Math.cos(furthest)});
    const degrees = (180 * furthest) / Math.PI;
    write(label, known === 1 / 2 ? "all seen" : `to ±${fixed(degrees, degrees < 10 ? 1 : 0)}°`);
  };
}

/** Measured losses at the recorded lengths, a dot for each run, the exact limit in grey. */
function chart(parent, {lengths, limit, runs}) {
  const picture = add(parent, "svg", {
    viewBox: "0 0 372 196",
    class: "chart",
    "aria-hidden": "true",
  });
  const top = Math.ceil(2 * Math.max(...Object.values(runs).flat(2))) / 2;
  const x = (length) => LEFT + ((RIGHT - LEFT) * length) / MOST,
    y = (loss) => FOOT - (124 * loss) / top;
  for (const loss of range(2 * top + 1)
    .map((n) => n / 2)
    .filter((loss) => loss % 1 === 0)) {
    add(picture, "line", {x1: LEFT, x2: RIGHT, y1: y(loss), y2: y(loss), class: "grid"});
    add(picture, "text", {x: LEFT - 8, y: y(loss) + 4, class: "end"}, loss);
  }
  for (const length of lengths) add(picture, "text", {x: x(length), y: FOOT + 18}, length);
  add(picture, "text", {x: 193, y: FOOT + 38, class: "hint"}, "length of the text, in tokens");
  add(picture, "text", {x: 2, y: 11, class: "start hint"}, "loss, in nats: measured");
  const line = (values) => `M${values.map((each, n) => `${x(lengths[n])} ${y(each)}`).join("L")}`;
  const mean = (seeds) => seeds.reduce((a, b) => a + b, 0) / seeds.length;
  add(picture, "path", {d: line(limit), class: "limit"});
  const now = add(picture, "line", {y1: 20, y2: FOOT, class: "cut"});
  const curves = Object.values(runs).map((by, n) => {
    const group = add(picture, "g", {class: `c${n ? 3 : 2}`});
    add(group, "path", {d: line(by.map(mean)), class: "curve"});
    by.forEach((seeds, at) =>
      seeds.forEach((loss) =>
        add(group, "circle", {cx: x(lengths[at]), cy: y(loss), r: 3.5, class: "dot"}),
      ),
    );
    return group;
  });
  return (length, clipped) => {
    put(now, {x1: x(length), x2: x(length)});
    curves.forEach((group, n) => group.classList.toggle("faint", clipped !== (n === 1)));
  };
}

export default async function draw(element, options) {
  const data = await options.read("clip");
  const theta = frequencies(data.width),
    [trained] = data.lengths;
  const spec = {T: number(2, MOST, 48), far: oneOf(["turned", "clipped"])};
  const figure = new Explorable(element, options, spec, ["T"]);
  const left = add(figure.stage, "div", {class: "part"}),
    right = add(figure.stage, "div", {class: "part"});
  add(left, "p", {class: "head"}, "How far each pair of columns turns, left and right");
  const row = add(left, "div", {class: "dials"});
  const dials = theta.map((each, n) => dial(row, n, each));
  const key = add(left, "p", {class: "key"});
  add(key, "span", {class: "swatch c1"}, "seen in training");
  add(key, "span", {class: "swatch c2"}, "never seen");
  const show = chart(right, data),
    legend = add(right, "p", {class: "key"});
  for (const [name, colour] of [
    ["RoPE", "c2"],
    ["RoPE, clipped", "c3"],
    ["exact limit", "grey"],
  ])
    add(legend, "span", {class: `swatch ${colour}`}, name);
  figure.slider("T", "Let it read a text of", ({T}) => `${T} tokens`);
  figure.choice("far", `Words more than ${trained - 1} apart`, {
    turned: "turn further",
    clipped: `count as ${trained - 1} apart`,
  });
  const names = Object.keys(data.runs);
  figure.table(
    "The measured losses as a table",
    () => ["length", "limit", ...names],
    () =>
      data.lengths.map((length, n) => [
        `${length}`,
        fixed(data.limit[n]),
        ...names.map((name) => data.runs[name][n].map((loss) => fixed(loss)).join(", ")),
      ]),
  );
  add(
    element,
    "p",
    {class: "note"},
    `The model was trained on ${trained} tokens. ${data.note} ` +
      `These runs were recorded with and without the clip. The page of RoPE shows the sweep of all encodings, a ` +
      `recording of another day: there its mean at ${data.lengths.at(-1)} tokens is ${fixed(data.sweep)}.`,
  );
  figure.run(
    ({T, far}) => {
      for (const each of dials) each(T - 1, trained, far === "clipped");
      show(T, far === "clipped");
    },
    ({T, far}) => {
      const last = data.lengths.length - 1,
        mean = (name) =>
          data.runs[name][last].reduce((a, b) => a + b, 0) / data.runs[name][last].length;
      const fresh = theta.filter(
        (each) => reached(T - 1, each) > reached(Math.min(T, trained) - 1, each),
      ).length;
      const many = `${fresh} of its ${theta.length} pairs of columns`;
      if (T <= trained)
        return (
          `In a text of ${T} tokens all offsets are ones that the model met in training, on texts of ` +
          `${trained}. Make the text longer.`
        );
      if (far === "turned")
        return (
          `Words up to ${T - 1} apart: ${many} now stand at angles never seen in training, the others ` +
          `come round again to angles that meant a near word. At ${data.lengths[last]} tokens its loss is ` +
          `${fixed(mean("RoPE"))} nats, where ${fixed(data.limit[last])} is possible. Now clip.`
        );
      return (
        `The same weights, but words more than ${trained - 1} apart now count as ${trained - 1} apart, ` +
        `so no offset is new. At ${data.lengths[last]} tokens the loss falls from ${fixed(mean("RoPE"))} to ` +
        `${fixed(mean("RoPE, clipped"))} nats; the limit is ${fixed(data.limit[last])}.`
      );
    },
  );
}
