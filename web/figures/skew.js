/** The skew: columns by offset become columns by key, row by row, and no number is looked up. */

import {range, skewed} from "./formulas.js";
import {Explorable, add, number, put, write} from "./kit.js";
import {heat, ink} from "./colours.js";

const CELL = 26,
  TOP = 40,
  LEFT = 34,
  MOST = 7;

/** The numbers of T queries by offset, each of which slides to the column of its key. */
function grid(parent) {
  const most = LEFT + (2 * MOST - 1) * CELL;
  const picture = add(parent, "svg", {class: "skewing", "aria-hidden": "true"});
  const frame = add(picture, "rect", {y: TOP - 3, rx: 4, class: "frame"});
  const head = add(picture, "text", {x: LEFT, y: 11, class: "start strong"});
  const columns = range(2 * MOST - 1).map(() => add(picture, "text", {y: TOP - 9}));
  const rows = range(MOST).map((i) => {
    const label = add(
      picture,
      "text",
      {x: 14, y: TOP + CELL * i + 17, class: "strong"},
      `q${"₀₁₂₃₄₅₆"[i]}`,
    );
    const cells = range(2 * MOST - 1).map(() => {
      const cell = add(picture, "g");
      add(cell, "rect", {width: CELL - 3, height: CELL - 3, rx: 3});
      add(cell, "text", {x: (CELL - 3) / 2, y: 16});
      return cell;
    });
    return {label, cells};
  });
  return ({T, done}, theme) => {
    const colour = heat(theme),
      letters = ink(theme),
      finished = done === T;
    const wide = LEFT + (2 * T - 1) * CELL;
    // In the middle of the room that the longest text takes, so that nothing below moves.
    put(picture, {viewBox: `${(wide - most) / 2} 0 ${most} ${TOP + MOST * CELL + 4}`});
    write(head, finished ? "columns: key j" : "columns: offset j − i");
    columns.forEach((label, c) => {
      const shown = c < (finished ? T : 2 * T - 1),
        text = finished ? c : c - T + 1;
      put(label, {x: LEFT + CELL * c + 12, visibility: shown ? "visible" : "hidden"});
      write(label, String(text).replace("-", "−"));
    });
    put(frame, {x: LEFT - 3, width: T * CELL + 3, height: T * CELL + 3, opacity: done > 0 ? 1 : 0});
    rows.forEach(({label, cells}, i) => {
      const part = Math.max(0, Math.min(1, done - i)),
        soft = part * part * (3 - 2 * part);
      put(label, {visibility: i < T ? "visible" : "hidden"});
      cells.forEach((cell, c) => {
        const shown = i < T && c < 2 * T - 1,
          offset = c - T + 1,
          j = i + offset;
        const inside = j >= 0 && j < T,
          rest = j < 0 ? 0 : 0.2; // left of the rows stand their names
        const value = (0.75 * offset) / (T - 1);
        put(cell, {
          visibility: shown ? "visible" : "hidden",
          opacity: inside ? 1 : 1 - (1 - rest) * soft,
          transform: `translate(${LEFT + CELL * (c - soft * (T - 1 - i))} ${TOP + CELL * i})`,
        });
        if (!shown) return;
        put(cell.firstChild, {fill: colour(value)});
        put(cell.lastChild, {style: `fill: ${letters(value)}`});
        write(cell.lastChild, String(offset).replace("-", "−"));
      });
    });
  };
}

/** The same numbers as they lie in memory, and where a row begins: before, and after. */
function memory(parent) {
  const picture = add(parent, "svg", {
    viewBox: "0 0 372 62",
    class: "memory",
    "aria-hidden": "true",
  });
  add(
    picture,
    "text",
    {x: 2, y: 10, class: "start"},
    "in memory: cut above as stored, below as read",
  );
  const cells = range(2 * MOST * MOST).map(() => add(picture, "rect", {y: 26, height: 14}));
  const cuts = range(2 * MOST + 1).map((n) =>
    add(picture, "line", {class: `cut ${n > MOST ? "c2" : "c1"}`}),
  );
  return ({T, done}, theme) => {
    const colour = heat(theme),
      wide = 368 / (2 * T * T);
    cells.forEach((cell, n) => {
      const row = Math.floor(n / (2 * T)),
        column = n % (2 * T);
      const [to, key] = skewed(T, row, column);
      const read = to >= 0 && to < T && key < T,
        added = column === 2 * T - 1;
      put(cell, {
        x: 2 + wide * n,
        width: wide * 0.92,
        visibility: n < 2 * T * T ? "visible" : "hidden",
        opacity: read || done <= row ? 1 : 0.25,
        fill: added ? "var(--quiet)" : colour((0.75 * (column - T + 1)) / (T - 1)),
      });
    });
    cuts.forEach((cut, n) => {
      const below = n > MOST,
        at = below ? T - 1 + (2 * T - 1) * (n - MOST - 1) : 2 * T * n;
      const shown = below ? n - MOST - 1 < done : n <= T;
      const x = 2 + wide * at;
      put(cut, {
        x1: x,
        x2: x,
        y1: below ? 40 : 16,
        y2: below ? 50 : 26,
        visibility: shown && at < 2 * T * T + 1 ? "visible" : "hidden",
      });
    });
  };
}

function say({T, done}) {
  if (done === 0)
    return (
      `Each of ${T} queries was multiplied by a vector for every offset, ${2 * T - 1} in a row. But ` +
      "attention wants a column for each key. Read the rows one by one."
    );
  const row = done - 1,
    left = T - 1 - row;
  const last =
    done === T
      ? `All ${T} rows read: equal offsets lie along diagonals, as a matrix of queries by keys wants it. `
      : `Row ${row} is read ${left} place${left === 1 ? "" : "s"} further left: its offset ` +
        `${row ? "−" : ""}${row} now stands under key 0. `;
  return (
    `${last}Nothing was looked up by its offset: with one number added to each row (grey), the memory is cut into ` +
    `rows of ${2 * T - 1} instead of ${2 * T}, from number ${T - 1} on.`
  );
}

export default function draw(element, options) {
  const spec = {done: number(0, MOST, 2), T: number(3, MOST, 5)};
  const figure = new Explorable(element, options, spec, ["done"]);
  const parts = [grid(figure.stage), memory(figure.stage)];
  const rows = ({done, T}) => Math.min(done, T);
  figure.slider("done", "Read row by row", (state) => `${rows(state)} of ${state.T} rows`);
  figure.slider("T", "Length of the text", ({T}) => `${T} words`);
  figure.run(
    (state) => parts.forEach((each) => each({...state, done: rows(state)}, options.theme)),
    (state) => say({...state, done: rows(state)}),
  );
}
