/** Drag a word to another place: which encodings notice? Exact, by one layer with fixed weights. */

import {ENCODINGS, changes} from "./attention.js";
import {heat, ink} from "./colours.js";
import {range} from "./formulas.js";
import {Explorable, add, calm, fixed, list, number, put, write} from "./kit.js";

const SAME = 1e-9; // nothing but rounding
const SWAPPED = ["0", "4", "2", "3", "1"]; // the man bites the dog

/** The words, which a finger drags and the arrow keys move; each is a button that keeps its word. */
function sentence(figure, parent, words) {
  const row = add(parent, "div", {class: "words", role: "group", "aria-label": "The sentence"});
  const chips = words.map((word) => add(row, "button", {type: "button", class: "chip"}, word));
  const last = words.length - 1;
  const move = (word, to) => {
    const rest = figure.state.order.filter((each) => each !== String(word));
    figure.set({order: rest.toSpliced(Math.max(0, Math.min(last, to)), 0, String(word))});
  };
  chips.forEach((chip, word) => {
    chip.addEventListener("keydown", (event) => {
      const place = figure.state.order.indexOf(String(word));
      const to = {ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: last}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      move(word, to);
    });
    dragged(chip, chips, (to) => move(word, to));
  });
  return ({order}) => {
    arrange(
      row,
      order.map((word) => chips[word]),
    );
    order.forEach((word, n) => {
      const chip = chips[word];
      if (chip.held !== undefined)
        chip.style.transform = `translateX(${chip.held - chip.offsetLeft}px)`;
      put(chip, {
        "aria-label": `${words[word]}, place ${n + 1} of ${words.length}; arrow keys move it`,
      });
    });
  };
}

/** `moved` is told the place of a chip among the others, while it is held. */
function dragged(chip, chips, moved) {
  const middle = (each) => each.offsetLeft + each.offsetWidth / 2;
  let from = null;
  chip.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    chip.focus({preventScroll: true});
    chip.setPointerCapture(event.pointerId);
    from = event.clientX - chip.offsetLeft;
    chip.classList.add("held");
  });
  chip.addEventListener("pointermove", (event) => {
    if (from === null) return;
    chip.held = event.clientX - from; // where its left side is, which `order` need not know
    const at = chip.held + chip.offsetWidth / 2;
    moved(chips.filter((each) => each !== chip && middle(each) < at).length);
  });
  for (const done of ["pointerup", "pointercancel"])
    chip.addEventListener(done, () => {
      from = null;
      delete chip.held;
      chip.classList.remove("held");
      chip.style.transform = "";
    });
}

/** Brings the chips into this order, also for Tab; the others make way for the one with the focus.
 *
 * That one is not taken out of the page, else it would lose the focus and the finger. Those that
 * change places begin where they were, and CSS lets them glide.
 */
function arrange(row, chips) {
  if (chips.every((chip, n) => chip === row.children[n])) return;
  const before = chips.map((chip) => chip.offsetLeft),
    at = Math.max(0, chips.indexOf(document.activeElement));
  chips[at].before(...chips.slice(0, at));
  chips[at].after(...chips.slice(at + 1));
  const glide = (css) =>
    chips.forEach((chip, n) => {
      if (chip.held !== undefined) return;
      chip.style.transition = css;
      chip.style.transform = css && `translateX(${before[n] - chip.offsetLeft}px)`;
    });
  glide("none");
  row.getBoundingClientRect(); // the browser takes note of where they begin
  glide("");
}

/** A row for each encoding, a cell for each word: how far its output has moved. */
function answers(parent, words) {
  const scroll = {
    class: "scrolls",
    tabindex: 0,
    role: "group",
    "aria-label": "Which encodings notice",
  };
  const table = add(add(parent, "div", scroll), "table", {class: "answers"});
  const top = add(add(table, "thead"), "tr");
  add(top, "th", {scope: "col"}, "encoding");
  const heads = words.map(() => add(top, "th", {scope: "col"}));
  add(top, "th", {scope: "col"}, "seen?");
  const body = add(table, "tbody");
  const rows = ENCODINGS.map((name) => {
    const row = add(body, "tr");
    add(row, "th", {scope: "row"}, name);
    return {
      row,
      cells: words.map(() => add(row, "td")),
      verdict: add(row, "td", {class: "noticed"}),
    };
  });
  return (order, found, theme) => {
    const colour = heat(theme),
      letters = ink(theme);
    order.forEach((word, n) => write(heads[n], words[word]));
    rows.forEach(({row, cells, verdict}, n) => {
      const moved = found[n].some((each) => each > SAME);
      row.classList.toggle("notices", moved);
      write(verdict, moved ? "yes" : "no");
      found[n].forEach((each, at) => {
        const strong = Math.min(1, each / 1.2);
        write(cells[at], each > SAME ? (each < 0.005 ? "< 0.01" : fixed(each)) : "0");
        cells[at].style.background = each > SAME ? colour(strong) : "";
        cells[at].style.color = each > SAME ? letters(strong) : "";
      });
    });
  };
}

function say(words, {order, start}, found) {
  const text = order.map((word) => words[word]).join(" ");
  const blind = ENCODINGS.filter((_, n) => !found[n].some((each) => each > SAME));
  if (blind.length === ENCODINGS.length)
    return (
      `“${text}”: nothing has moved, so no output has changed. Drag a word, or turn the whole ` +
      "sentence round."
    );
  const where = start ? `, ${start} position${start === 1 ? "" : "s"} further on` : "";
  const none = "Every encoding notices.";
  return (
    `“${text}”${where}. The numbers say how far each word's output has moved, as a part of its ` +
    `length. ${blind.length ? `Not noticed by: ${blind.join("; ")}.` : none}`
  );
}

export default async function draw(element, options) {
  const data = await options.read("attention");
  const {words} = data,
    places = range(words.length).map(String);
  const all = (found) => found.length === places.length;
  const figure = new Explorable(element, options, {
    order: list(places, SWAPPED, all),
    start: number(0, 20, 0),
  });
  const chips = sentence(figure, figure.stage, words),
    show = answers(figure.stage, words);
  figure.slider("start", "Begin it at", ({start}) => `position ${start}`);
  figure.button("Dog bites man", () => ({order: places}));
  figure.button("Man bites dog", () => ({order: SWAPPED}));
  figure.button("Backwards", ({order}) => ({order: order.toReversed()}));
  let last, found;
  const asked = ({order, start}) => {
    const now = `${order} ${start}`;
    if (now !== last)
      found = ENCODINGS.map((name) => changes(data, name, order.map(Number), start));
    last = now;
    return found;
  };
  if (!calm.matches) element.classList.add("moves");
  figure.run(
    (state) => {
      chips(state);
      show(state.order, asked(state), options.theme);
    },
    (state) => say(words, state, asked(state)),
  );
}
