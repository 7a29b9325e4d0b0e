/** 2-D RoPE: on a grid of patches, “one down, two right” means the same everywhere. */

import {heat} from "./colours.js";
import {patchScores, range} from "./formulas.js";
import {Explorable, add, fixed, number, oneOf, put} from "./kit.js";

const SIDE = 12,
  WIDTH = 64,
  CELL = 26,
  FAR = 3; // patches that the query looks away, so many of which lie around the picture

const held = (value) => Math.max(0, Math.min(SIDE - 1, value));
const near = (value) => Math.max(-FAR, Math.min(FAR, value));
const at = (place) => Math.floor(place / CELL);
const middle = (index) => CELL * (index + 0.5);

/** The patch of the largest score. */
function best({row, column, down, right, order}) {
  const scores = patchScores(SIDE, WIDTH, [row, column], [down, right], order);
  return scores.indexOf(Math.max(...scores));
}

function words({down, right}) {
  const told = [
    down && `${Math.abs(down)} ${down > 0 ? "down" : "up"}`,
    right && `${Math.abs(right)} to the ${right > 0 ? "right" : "left"}`,
  ].filter(Boolean);
  return told.join(" and ") || "the patch itself";
}

function say(state) {
  const {row, column, down, right, order} = state;
  const [wantedRow, wantedColumn] = [row + down, column + right];
  const inside = wantedRow === held(wantedRow) && wantedColumn === held(wantedColumn);
  const found = best(state),
    [i, j] = [Math.floor(found / SIDE), found % SIDE];
  const wanted = SIDE * wantedRow + wantedColumn; // in reading order
  const query = `The query at row ${row}, column ${column} looks for ${words(state)}`;
  if (order === "axes")
    return inside
      ? `${query}. Half of the columns turn by the row and half by the column, so its score is highest ` +
          "right there, and lower everywhere else. Move the query: the pattern moves with it."
      : `${query}, which lies outside the picture: the highest score is at the edge, row ${i}, column ${j}.`;
  const reads = `${query}. In reading order it knows the picture as one long line`;
  if (inside)
    return (
      `${reads}: the score is highest there, but the patch below a patch is ${SIDE} steps further on, ` +
      "and the end of its row is nearer. Move the query to the left or right edge."
    );
  return wanted >= 0 && wanted < SIDE ** 2
    ? `${reads}, so it finds row ${i}, column ${j}: the line goes on where a row ends.`
    : `${reads}, and what it looks for lies ${wanted < 0 ? "before its beginning" : "beyond its end"}: ` +
        `the highest score is at row ${i}, column ${j}.`;
}

export default function draw(element, options) {
  const figure = new Explorable(
    element,
    options,
    {
      row: number(0, SIDE - 1, 4),
      column: number(0, SIDE - 1, 3),
      down: number(-FAR, FAR, 2),
      right: number(-FAR, FAR, 3),
      order: oneOf(["axes", "line"]),
    },
    ["row", "column", "down", "right"],
  );
  // Around the picture is room for what the query looks for beyond its edges.
  const edge = -FAR * CELL,
    whole = (SIDE + 2 * FAR) * CELL;
  const picture = add(figure.stage, "svg", {
    viewBox: `${edge} ${edge} ${whole} ${whole}`,
    class: "patches",
  });
  const back = add(picture, "g", {"aria-hidden": "true"});
  const square = {width: CELL - 2, height: CELL - 2, rx: 4};
  for (const i of range(SIDE + 2 * FAR))
    for (const j of range(SIDE + 2 * FAR))
      if (held(i - FAR) !== i - FAR || held(j - FAR) !== j - FAR)
        add(back, "rect", {
          x: edge + CELL * j + 1,
          y: edge + CELL * i + 1,
          ...square,
          class: "none",
        });
  const cells = range(SIDE * SIDE).map((n) =>
    add(back, "rect", {x: CELL * (n % SIDE) + 1, y: CELL * Math.floor(n / SIDE) + 1, ...square}),
  );
  const frame = add(back, "rect", {width: CELL, height: CELL, rx: 5, class: "frame"});
  const arms = ["halo", "hand c1"].map((kind) => add(back, "line", {class: kind}));
  const knobs = [
    ["Query", "q"],
    ["Where the query looks", "★"],
  ].map(([name, letter]) => {
    const knob = add(picture, "g", {class: "c1"});
    add(knob, "circle", {r: 20, class: "grasp"});
    add(knob, "circle", {r: 12, class: "knob"});
    add(knob, "text", {y: 5, class: "on-knob"}, letter);
    figure.handle(
      knob,
      name,
      letter === "q"
        ? {
            to: (x, y) => ({row: held(at(y)), column: held(at(x))}),
            by: (dx, dy, {row, column}) => ({row: held(row - dy), column: held(column + dx)}),
            now: ({row, column}) => [
              row * SIDE + column,
              0,
              SIDE ** 2 - 1,
              `row ${row}, column ${column}`,
            ],
          }
        : {
            to: (x, y, {row, column}) => ({down: near(at(y) - row), right: near(at(x) - column)}),
            by: (dx, dy, {down, right}) => ({down: near(down - dy), right: near(right + dx)}),
            now: (state) => [state.right, -FAR, FAR, words(state)],
          },
    );
    return knob;
  });
  const key = add(figure.stage, "p", {class: "key"});
  add(key, "span", {class: "swatch alike"}, "high score");
  add(key, "span", {class: "swatch opposite"}, "below zero");
  add(key, "span", {class: "swatch framed"}, "highest");
  figure.choice("order", "Positions are", {
    axes: "row and column",
    line: "one number, in reading order",
  });
  figure.table(
    "The five highest scores as a table",
    () => ["patch", "score"],
    (state) => {
      const scores = patchScores(
        SIDE,
        WIDTH,
        [state.row, state.column],
        [state.down, state.right],
        state.order,
      );
      const ranked = range(SIDE * SIDE)
        .toSorted((a, b) => scores[b] - scores[a])
        .slice(0, 5);
      return ranked.map((n) => [
        `row ${Math.floor(n / SIDE)}, column ${n % SIDE}`,
        fixed(scores[n]),
      ]);
    },
  );
  figure.run(({row, column, down, right, order}) => {
    const colour = heat(options.theme);
    const scores = patchScores(SIDE, WIDTH, [row, column], [down, right], order);
    cells.forEach((cell, n) => put(cell, {fill: colour(scores[n])}));
    const ends = [
      [middle(column), middle(row)],
      [middle(column + right), middle(row + down)],
    ];
    for (const arm of arms)
      put(arm, {x1: ends[0][0], y1: ends[0][1], x2: ends[1][0], y2: ends[1][1]});
    const found = scores.indexOf(Math.max(...scores));
    put(frame, {x: CELL * (found % SIDE), y: CELL * Math.floor(found / SIDE)});
    ends.forEach(([x, y], n) => put(knobs[n], {transform: `translate(${x} ${y})`}));
  }, say);
}
