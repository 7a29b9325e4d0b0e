/** The words of a sentence as buttons: to be dragged, moved by the arrow keys, hidden by Enter. */

import {add, put, write} from "./kit.js";

// [MASK], marks at the end of a word, and words: “3.14” and “a[0]” are one.
const CHIP = /\[MASK\]|[.,;:!?](?=[.,;:!?]*(?:\s|$))|(?:(?!\[MASK\]|[.,;:!?]+(?:\s|$))\S)+/gi;
const CLOSE = /^[.,;:!?]$/; // stands close to the word before it
const SLACK = 6; // pixels that a click may move

export const MASK = "[MASK]";

/** A text as words and marks. */
export const split = (text) =>
  (text.match(CHIP) ?? []).map((each) => (each.toUpperCase() === MASK ? MASK : each));

/** Words and marks as a text. */
export const join = (words) =>
  words.map((each, n) => (n && !CLOSE.test(each) ? ` ${each}` : each)).join("");

/** The words with the one at `from` put at `to` instead. */
export function moved(words, from, to) {
  const rest = words.toSpliced(from, 1);
  return rest.toSpliced(Math.max(0, Math.min(rest.length, to)), 0, words[from]);
}

/** How many of the boxes of other words are read before the point: the place of what is dropped. */
function placeAt(boxes, x, y) {
  return boxes.filter(
    ({top, bottom, left, right}) => bottom < y || (top <= y && (left + right) / 2 < x),
  ).length;
}

export class Words {
  /**
   * @param parent - where they are shown.
   * @param {(words: string[]) => void} changed - told of a new order.
   * @param {(place: number) => void} pressed - told which word was clicked, or Enter pressed on.
   */
  constructor(parent, changed, pressed) {
    this.row = add(parent, "div", {
      class: "words live-words",
      role: "group",
      "aria-label": "The sentence, word by word",
    });
    this.changed = changed;
    this.pressed = pressed;
    this.words = [];
  }

  /** `reader` knows which words a model reads in pieces. */
  show(words, reader) {
    this.words = words;
    while (this.row.children.length > words.length) this.row.lastChild.remove();
    while (this.row.children.length < words.length) this.#chip();
    words.forEach((word, n) => {
      const chip = this.row.children[n],
        hidden = word === MASK;
      write(chip, word);
      chip.classList.toggle("hidden-word", hidden);
      const pieces = reader.pieces(word);
      chip.classList.toggle("in-pieces", pieces.length > 1);
      chip.title = pieces.length > 1 ? pieces.join(" ") : "";
      const does = hidden ? "Enter puts the likeliest word here" : "Enter hides it";
      put(chip, {
        "aria-label": `${word}, word ${n + 1} of ${words.length}; arrow keys move it, ${does}`,
      });
    });
  }

  #chip() {
    const chip = add(this.row, "button", {type: "button", class: "chip"});
    const place = () => [...this.row.children].indexOf(chip);
    chip.addEventListener("keydown", (event) => {
      const from = place(),
        last = this.words.length - 1;
      const to = {ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.#move(from, Math.max(0, Math.min(last, to)));
    });
    this.#drags(chip, place);
  }

  #move(from, to) {
    if (from !== to) this.changed(moved(this.words, from, to));
    this.row.children[to].focus({preventScroll: true});
  }

  #drags(chip, place) {
    let held = null,
      dragged = false;
    const others = () => [...this.row.children].filter((each) => each !== chip);
    const mark = (at) =>
      others().forEach((each, n, all) => {
        each.classList.toggle("drop-before", n === at);
        each.classList.toggle("drop-after", at === all.length && n === at - 1);
      });
    chip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      chip.setPointerCapture(event.pointerId);
      dragged = false;
      held = {
        x: event.clientX,
        y: event.clientY,
        boxes: others().map((each) => each.getBoundingClientRect()),
      };
    });
    chip.addEventListener("pointermove", (event) => {
      if (!held) return;
      const [x, y] = [event.clientX - held.x, event.clientY - held.y];
      dragged ||= Math.hypot(x, y) > SLACK;
      if (!dragged) return;
      chip.classList.add("held");
      chip.style.transform = `translate(${x}px, ${y}px)`;
      mark(placeAt(held.boxes, event.clientX, event.clientY));
    });
    const release = (event) => {
      if (held && dragged && event.type === "pointerup")
        this.#move(place(), placeAt(held.boxes, event.clientX, event.clientY));
      held = null;
      chip.classList.remove("held");
      chip.style.transform = "";
      mark(-1);
    };
    for (const end of ["pointerup", "pointercancel"]) chip.addEventListener(end, release);
    chip.addEventListener("click", () => dragged || this.pressed(place()));
  }
}
