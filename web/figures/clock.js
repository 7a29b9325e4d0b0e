/** Clock hands: eight positions as clocks; moving by k turns each of them by the same angles. */

import {frequencies, range, sinusoids} from "./formulas.js";
import {Explorable, add, fixed, number, put, write} from "./kit.js";

const CLOCKS = 8,
  WIDTH = 8,
  FACE = 40,
  MOST = 60; // radius of a face; furthest move
const LENGTHS = [37, 28, 19, 10];
const BAR = {top: 56, step: 9, middle: 22, half: 20}; // of a sine or cosine, from −1 to 1
const omega = frequencies(WIDTH);
const NAMES = ["fastest", "second", "third", "slowest"];

/** An arc from angle `from` to `to`, both clockwise from twelve o'clock, at most a full turn. */
function arc(radius, from, to) {
  const end = Math.min(to, from + 2 * Math.PI - 0.001);
  const at = (angle) => `${radius * Math.sin(angle)} ${-radius * Math.cos(angle)}`;
  const large = end - from > Math.PI ? 1 : 0;
  return `M${at(from)}A${radius} ${radius} 0 ${large} 1 ${at(end)}`;
}

function clock(parent, position) {
  const picture = add(parent, "svg", {
    viewBox: "-47 -66 94 172",
    class: "face",
    "aria-hidden": "true",
  });
  const title = add(picture, "text", {y: -50, class: "strong"});
  add(picture, "circle", {r: FACE + 4, class: "dial"});
  const trails = omega.map((_, n) => add(picture, "path", {class: `trail c${n + 1}`}));
  const ghosts = omega.map((_, n) => add(picture, "line", {class: `ghost c${n + 1}`}));
  const hands = omega.map((_, n) => add(picture, "line", {class: `hand c${n + 1}`}));
  add(picture, "circle", {r: 3, class: "hub"});
  const bars = range(WIDTH).map((n) => {
    const x = n % 2 ? BAR.middle : -BAR.middle,
      y = BAR.top + BAR.step * Math.floor(n / 2);
    add(picture, "rect", {x: x - BAR.half, y, width: 2 * BAR.half, height: 7, class: "trough"});
    return {x, bar: add(picture, "rect", {y, height: 7, class: `value c${Math.floor(n / 2) + 1}`})};
  });
  for (const [x, name] of [
    [-BAR.middle, "sin"],
    [BAR.middle, "cos"],
  ])
    add(picture, "text", {x, y: 104}, name);
  const point = (line, angle, length) =>
    put(line, {x2: length * Math.sin(angle), y2: -length * Math.cos(angle)});
  omega.forEach((each, n) => point(ghosts[n], position * each, LENGTHS[n]));
  return (k) => {
    write(title, `p = ${Math.round(position + k)}`);
    omega.forEach((each, n) => {
      point(hands[n], (position + k) * each, LENGTHS[n]);
      put(trails[n], {d: arc(LENGTHS[n], position * each, (position + k) * each)});
    });
    sinusoids(position + k, WIDTH).forEach((value, n) => {
      const {x, bar} = bars[n],
        width = BAR.half * Math.abs(value);
      put(bar, {x: value < 0 ? x - width : x, width});
    });
  };
}

const degrees = (angle) => `${fixed((180 * angle) / Math.PI, angle < 0.1 ? 1 : 0)}°`;

export default function draw(element, options) {
  const figure = new Explorable(element, options, {k: number(0, MOST, 3)}, ["k"]);
  const row = add(figure.stage, "div", {class: "clocks"});
  const clocks = range(CLOCKS).map((position) => clock(row, position));
  const key = add(figure.stage, "p", {class: "key"});
  omega.forEach((_, n) => add(key, "span", {class: `swatch c${n + 1}`}, `${NAMES[n]} hand`));
  add(key, "span", {class: "hint"}, "arcs: how far each hand has turned");
  figure.slider("k", "Move all eight words on by", ({k}) => `${k} position${k === 1 ? "" : "s"}`);
  figure.button("One position on", ({k}) => ({k: Math.min(MOST, k + 1)}));
  figure.button("Back to the beginning", () => ({k: 0}));
  figure.table(
    "The angles as a table",
    () => ["clock", ...NAMES.map((name) => `${name} hand`)],
    ({k}) =>
      range(CLOCKS).map((p) => [
        `p = ${p + k}`,
        ...omega.map((each) => `${fixed((p + k) * each, 3)} rad`),
      ]),
  );
  figure.run(
    ({k}) => clocks.forEach((each) => each(k)),
    ({k}) =>
      k === 0
        ? "Each clock is a position: its four hands turn at four speeds, so no two clocks look alike."
        : `To move on by ${k}, every clock turns by the same angles, wherever it began: its fastest ` +
          `hand by ${fixed(k, 0)} radian${k === 1 ? "" : "s"}, the second by ${degrees(k * omega[1])}, the third ` +
          `by ${degrees(k * omega[2])}, the slowest by ${degrees(k * omega[3])}. So “${k} to the ` +
          "right” means the same thing everywhere, and one matrix does it.",
  );
}
