/** The five likeliest words of each [MASK], with an encoding and without. */

import {add, fixed} from "./kit.js";

export const percent = (probability) => `${fixed(100 * probability, 1)} %`;

/** The largest change of any piece's probability in any gap. */
export const change = (now, before) =>
  Math.max(
    0,
    ...now.flatMap(({probabilities}, gap) =>
      probabilities.map((each, id) => Math.abs(each - before[gap].probabilities[id])),
    ),
  );

export class Guesses {
  constructor(parent) {
    this.row = add(parent, "div", {class: "live-guesses"});
  }

  /**
   * @param gaps - what may stand in each [MASK], from left to right.
   * @param name - of the encoding that was asked.
   * @param blind - the same without positions, if there is one beside.
   */
  show(gaps, name, blind) {
    const head = [name, ...(blind ? ["no positions"] : [])];
    this.row.replaceChildren();
    gaps.forEach(({likely}, gap) => {
      const table = add(this.row, "table", {class: "live-guess"});
      add(
        table,
        "caption",
        {},
        gaps.length > 1 ? `[MASK] number ${gap + 1}` : "The likeliest words for [MASK]",
      );
      const top = add(add(table, "thead"), "tr");
      for (const each of head) add(top, "th", {scope: "colgroup", colspan: 2}, each);
      const body = add(table, "tbody");
      const others = blind?.[gap].likely ?? likely;
      // What one of the two has among its five, and the other has not, stands out.
      const marked = (piece, beside) =>
        beside.some(([each]) => each === piece) ? "" : "live-changed";
      likely.forEach(([piece, probability], n) => {
        const line = add(body, "tr");
        add(line, "th", {scope: "row", class: marked(piece, others)}, piece);
        bar(line, probability);
        if (!blind) return;
        const [other, much] = others[n];
        add(line, "td", {class: `live-other ${marked(other, likely)}`}, other);
        bar(line, much);
      });
    });
  }
}

/** A cell with a probability, as long as it is large. */
function bar(line, probability) {
  const cell = add(line, "td", {class: "live-bar"}, percent(probability));
  cell.style.setProperty("--part", percent(probability).replace(" ", ""));
}
