/** Clock hands: eight positions as clocks; moving by k turns each of them by the same angles. */

import {frequencies, range, sinusoids} from "./formulas.js";
import {Explorable, add, fixed, number, put, write} from "./kit.js";
import {heat} from "./colours.js";

const CLOCKS = 8, WIDTH = 8, FACE = 40; // radius of a face
const LENGTHS = [36, 28, 20, 12];
const omega = frequencies(WIDTH);
const NAMES = ["fastest", "second", "third", "slowest"];

/** A sector from angle `from` to `to`, both clockwise from twelve o'clock, at most a full turn. */
function sector(radius, from, to) {
  const end = Math.min(to, from + 2 * Math.PI - 0.001);
  const at = (angle) => `${radius * Math.sin(angle)} ${-radius * Math.cos(angle)}`;
  const large = end - from > Math.PI ? 1 : 0;
  return `M0 0L${at(from)}A${radius} ${radius} 0 ${large} 1 ${at(end)}Z`;
}

function clock(parent, position) {
  const picture = add(parent, "svg", {viewBox: "-47 -66 94 158", class: "face", "aria-hidden": "true"});
  const title = add(picture, "text", {y: -50, class: "strong"});
  add(picture, "circle", {r: FACE + 4, class: "dial"});
  const turn = add(picture, "path", {class: "turn"});
  const ghosts = omega.map((_, n) => add(picture, "line", {class: `ghost c${n + 1}`}));
  const hands = omega.map((_, n) => add(picture, "line", {class: `hand c${n + 1}`}));
  add(picture, "circle", {r: 3, class: "hub"});
  const cells = range(WIDTH).map((n) => {
    const [x, y] = [-30 + 30 * (n % 2), 56 + 9 * Math.floor(n / 2)];
    return add(picture, "rect", {x, y, width: 29, height: 8, rx: 1.5});
  });
  const point = (line, angle, length) =>
    put(line, {x2: length * Math.sin(angle), y2: -length * Math.cos(angle)});
  omega.forEach((each, n) => point(ghosts[n], position * each, LENGTHS[n]));
  return (k, colour) => {
    write(title, `p = ${Math.round(position + k)}`);
    omega.forEach((each, n) => point(hands[n], (position + k) * each, LENGTHS[n]));
    // The second hand's turn: the fastest one's would soon be a full circle.
    put(turn, {d: sector(LENGTHS[1], position * omega[1], (position + k) * omega[1])});
    sinusoids(position + k, WIDTH).forEach((value, n) => put(cells[n], {fill: colour(value)}));
  };
}

const degrees = (angle) => `${fixed((180 * angle) / Math.PI, angle < 0.1 ? 1 : 0)}°`;

export default function draw(element, options) {
  const figure = new Explorable(element, options, {k: number(0, 60, 3)}, ["k"]);
  const row = add(figure.stage, "div", {class: "clocks"});
  const clocks = range(CLOCKS).map((position) => clock(row, position));
  const key = add(figure.stage, "p", {class: "key"});
  omega.forEach((_, n) => add(key, "span", {class: `swatch c${n + 1}`}, `${NAMES[n]} hand`));
  add(key, "span", {class: "hint"}, "below each clock: the sine and cosine of its four hands");
  figure.slider("k", "Move all eight words on by", ({k}) => `${k} position${k === 1 ? "" : "s"}`);
  figure.table("The angles as a table", () => ["clock", ...NAMES.map((name) => `${name} hand`)],
    ({k}) => range(CLOCKS).map((p) =>
      [`p = ${p + k}`, ...omega.map((each) => `${fixed((p + k) * each, 3)} rad`)]));
  figure.run(
    ({k}) => {
      const colour = heat(options.theme);
      for (const each of clocks) each(k, colour);
    },
    ({k}) => k === 0
      ? "Each clock is a position: its four hands turn at four speeds, so no two clocks look alike."
      : `To move on by ${k}, every clock turns by the same angles, wherever it began: its fastest ` +
        `hand by ${fixed(k, 0)} radian${k === 1 ? "" : "s"}, the second by ${degrees(k * omega[1])} (shaded), the third ` +
        `by ${degrees(k * omega[2])}, the slowest by ${degrees(k * omega[3])}. So “${k} to the ` +
        "right” means the same thing everywhere, and one matrix does it.",
  );
}
