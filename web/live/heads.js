/** Who looks at whom: a picture for each head, one of them large, and what it shows in words. */

import {heat, matrix} from "./colours.js";
import {add, fixed, put} from "./kit.js";

const CELL = 22; // units of the large picture
const LETTER = 7.5; // units that a letter of its texts takes
const PLACES = {"-1": "the token before", 0: "itself", 1: "the token after"};
const MUCH = 0.4; // of a head's weight, on average: a habit

/** The largest weights of one row, as words: “the” 0.41, “string” 0.20. */
function favourites(weights, tokens, row, count = 2) {
  const found = tokens.map((token, key) => [weights[row * tokens.length + key], token]);
  found.sort(([a], [b]) => b - a);
  return found
    .slice(0, count)
    .map(([weight, token]) => `“${token}” ${fixed(weight)}`)
    .join(", ");
}

/** What a head does on the whole, if much of its weight goes one way. */
function habit(weights, tokens) {
  const length = tokens.length;
  const mean = (key) =>
    tokens.reduce(
      (sum, _, row) => sum + (key(row) in tokens ? weights[row * length + key(row)] : 0),
      0,
    ) / length;
  const found = Object.entries(PLACES).map(([offset, name]) => [
    mean((row) => row + Number(offset)),
    name,
  ]);
  found.push([mean(() => 0), "[CLS]"], [mean(() => length - 1), "[SEP]"]);
  const [weight, name] = found.sort(([a], [b]) => b - a)[0];
  return weight > MUCH
    ? `on the whole it looks at ${name} (${fixed(weight)} of its weight)`
    : "its weight is spread";
}

/** A head in a sentence; `row` is the place of a [MASK], if there is one. */
function described(weights, tokens, row) {
  const from =
    row === undefined ? "" : `from [MASK] it looks at ${favourites(weights, tokens, row)}; `;
  return `${from}${habit(weights, tokens)}.`;
}

export class Heads {
  /** @param {(head: number) => void} choose - told which picture was pressed, from 1. */
  constructor(parent, layers, heads, choose) {
    this.perLayer = heads;
    this.buttons = [];
    add(
      parent,
      "p",
      {class: "live-title"},
      "Who looks at whom: a row for each token that looks, a column for each that is looked at",
    );
    for (let layer = 0; layer < layers; layer++) {
      const label = {role: "group", "aria-label": `Attention of layer ${layer + 1}`};
      const row = add(parent, "div", {class: "live-heads", ...label});
      add(row, "span", {class: "hint"}, `layer ${layer + 1}`);
      for (let head = 0; head < heads; head++) this.#button(row, layer * heads + head, choose);
    }
    const scrolls = {
      class: "scrolls live-large",
      tabindex: 0,
      role: "group",
      "aria-label": "The chosen head, large",
    };
    this.large = add(parent, "div", scrolls);
  }

  #button(row, n, choose) {
    const button = add(row, "button", {type: "button", class: "live-head"});
    const canvas = add(button, "canvas", {class: "heat"});
    add(button, "span", {}, `head ${(n % this.perLayer) + 1}`);
    button.addEventListener("click", () => choose(n + 1));
    this.buttons.push({button, canvas});
  }

  /** A head's name; both numbers begin at 1. */
  #name(n) {
    return `Layer ${Math.floor(n / this.perLayer) + 1}, head ${(n % this.perLayer) + 1}`;
  }

  /** @param {Float32Array[][]} attention - (T, T) by layer and head. */
  show(attention, tokens, rows, chosen, theme) {
    attention.flat().forEach((weights, n) => {
      const {button, canvas} = this.buttons[n],
        pressed = n === chosen - 1;
      const label = `${this.#name(n)}: ${described(weights, tokens, rows[0])}`;
      matrix(canvas, tokens.length, tokens.length)(weights, theme);
      put(button, {"aria-label": label, "aria-pressed": String(pressed)});
      if (pressed) this.#enlarge(weights, tokens, rows, label, heat(theme));
    });
  }

  #enlarge(weights, tokens, rows, label, colour) {
    const length = tokens.length,
      side = CELL * length;
    const room = 12 + LETTER * Math.max(...tokens.map((each) => each.length));
    const size = side + room + 4;
    this.large.replaceChildren();
    add(this.large, "p", {class: "live-says", "aria-hidden": "true"}, label);
    const picture = add(this.large, "svg", {
      viewBox: `${-room} ${-room} ${size} ${size}`,
      role: "img",
    });
    put(picture, {"aria-label": `${label} A table below has the numbers.`});
    picture.style.cssText = `min-width: ${0.8 * size}px; max-width: ${1.3 * size}px`;
    tokens.forEach((token, n) => {
      const middle = CELL * (n + 0.5),
        weight = rows.includes(n) ? "strong" : "";
      add(picture, "text", {x: -6, y: middle + 4, class: `end ${weight}`}, token);
      const turned = `translate(${middle} 0) rotate(-90)`;
      add(picture, "text", {x: 6, y: 4, class: `start ${weight}`, transform: turned}, token);
      tokens.forEach((_, key) => {
        const cell = {x: CELL * key, y: CELL * n, width: CELL - 1, height: CELL - 1};
        add(picture, "rect", {
          ...cell,
          class: "live-cell",
          fill: colour(weights[n * length + key]),
        });
      });
    });
    for (const row of rows)
      add(picture, "rect", {x: 0, y: CELL * row, width: side, height: CELL - 1, class: "frame"});
  }
}

/** The rows of a table: each token, and its weight on every token. */
export const table = (weights, tokens) =>
  tokens.map((token, row) => [
    token,
    ...tokens.map((_, key) => fixed(weights[row * tokens.length + key])),
  ]);
