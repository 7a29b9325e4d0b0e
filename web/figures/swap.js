/** The front page's picture: two words change places, and attention sees it or does not. Exact. */

import {attend} from "./attention.js";
import {heat} from "./colours.js";
import {range} from "./formulas.js";
import {add, calm, put, write} from "./kit.js";

const STEP = 92,
  CELL = 17,
  COLUMNS = 4,
  ROW = 104, // units: from word to word, of numbers
  EDGE = (STEP - CELL * COLUMNS) / 2; // from there on are numbers
const ROWS = {"No positions": "Without positions", "Sinusoidal": "With positions"};
const PLAIN = [0, 1, 2, 3, 4],
  SWAPPED = [0, 4, 2, 3, 1]; // the man bites the dog
const WAIT = 1500; // milliseconds until the words move by themselves, once

/** A word and its outputs, which travel together; gives what colours and moves them. */
function column(parent, word, width) {
  const group = add(parent, "g", {class: "column"});
  add(group, "text", {x: 0, y: 20, class: "strong"}, word);
  const squares = range(2).map((row) =>
    range(width).map((n) =>
      add(group, "rect", {
        x: CELL * (n % COLUMNS) - (COLUMNS * CELL) / 2,
        y: 62 + ROW * row + CELL * Math.floor(n / COLUMNS),
        width: CELL - 1,
        height: CELL - 1,
        rx: 2,
      }),
    ),
  );
  return (place, outputs, colour) => {
    group.style.transform = `translateX(${STEP * (place + 0.5)}px)`;
    outputs.forEach((output, row) =>
      output.forEach((value, n) => put(squares[row][n], {fill: colour(value)})),
    );
  };
}

export default async function draw(element, options) {
  const data = await options.read("attention");
  const width = data.x[0].length;
  const picture = add(element, "svg", {
    viewBox: `${EDGE} 0 ${5 * STEP - 2 * EDGE} ${40 + 2 * ROW}`,
    class: "swap",
    "aria-hidden": "true",
  });
  Object.values(ROWS).forEach((name, row) =>
    add(picture, "text", {x: EDGE, y: 54 + ROW * row, class: "start"}, name),
  );
  const columns = data.words.map((word) => column(picture, word, width));
  const says = add(element, "p", {class: "says"});
  const button = add(element, "button", {type: "button"}, "Swap dog and man");
  let order = PLAIN;
  const show = () => {
    const colour = heat(options.theme);
    const outputs = Object.keys(ROWS).map((name) => attend(data, name, order, 0));
    const most = outputs.map((each) => Math.max(...each.flat().map(Math.abs)));
    order.forEach((word, place) =>
      columns[word](
        place,
        outputs.map((each, row) => each[place].map((x) => x / most[row])),
        colour,
      ),
    );
    write(
      says,
      order === PLAIN
        ? "Below each word is what attention makes of it: each square is a number."
        : "Without positions every word keeps its numbers: attention cannot tell who bites whom. " +
            "With positions they all change.",
    );
  };
  const swap = () => {
    order = order === PLAIN ? SWAPPED : PLAIN;
    show();
  };
  options.onTheme(show);
  show();
  element.classList.add("ready");
  const first = calm.matches ? undefined : setTimeout(swap, WAIT);
  button.addEventListener("click", () => {
    clearTimeout(first);
    says.setAttribute("role", "status"); // from now on it answers somebody
    swap();
  });
}
