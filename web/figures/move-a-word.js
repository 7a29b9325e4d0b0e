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
  const chips = words.map((word, n) => add(row, "button", {type: "button", class: "chip"}, word));
  const moved = (order, word, to) => {
    const rest = order.filter((each) => each !== String(word));
    return {order: [...rest.slice(0, to), String(word), ...rest.slice(to)]};
  };
  chips.forEach((chip, word) => {
    let from = null, places = [];
    const end = words.length - 1;
    chip.addEventListener("keydown", (event) => {
      const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!by) return;
      event.preventDefault();
      const to = figure.state.order.indexOf(String(word)) + by;
      figure.set(moved(figure.state.order, word, Math.max(0, Math.min(end, to))));
    });
    chip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      chip.focus({preventScroll: true});
      chip.setPointerCapture(event.pointerId);
      from = event.clientX - chip.dx;
      places = chips.map((each) => each.offsetLeft + each.offsetWidth / 2);
      chip.classList.add("held");
    });
    chip.addEventListener("pointermove", (event) => {
      if (from === null) return;
      chip.drag = event.clientX - from;
      const at = places[word] + chip.drag, {order} = figure.state;
      const to = order.filter((each) => Number(each) !== word && middle(Number(each), places) < at).length;
      figure.set(to === order.indexOf(String(word)) ? {} : moved(order, word, to));
    });
    for (const done of ["pointerup", "pointercancel"])
      chip.addEventListener(done, () => {
        from = null;
        chip.drag = undefined;
        chip.classList.remove("held");
        figure.set({});
      });
  });
  const middle = (word, places) => places[word] + chips[word].dx;
  for (const chip of chips) chip.dx = 0;
  let widths;
  // Each word keeps its place in the page and is moved by a transform alone, so that no layout is
  // asked for: the widths are measured once, and again where the page changes its own.
  const measure = () => (widths = chips.map((each) => [each.offsetLeft, each.offsetWidth]));
  new ResizeObserver(() => {
    measure();
    figure.set({});
  }).observe(row);
  return ({order}) => {
    if (!widths) measure();
    let left = widths[0][0];
    const gap = widths[1][0] - widths[0][0] - widths[0][1];
    order.map(Number).forEach((word, n) => {
      const chip = chips[word];
      chip.dx = left - widths[word][0];
      left += widths[word][1] + gap;
      chip.style.transform = `translateX(${chip.drag ?? chip.dx}px)`;
      put(chip, {"aria-label": `${words[word]}, place ${n + 1} of ${words.length}; arrow keys move it`});
    });
  };
}

/** A row for each encoding, a cell for each word: how far its output has moved. */
function answers(parent, words) {
  const scroll = {class: "scrolls", tabindex: 0, role: "group", "aria-label": "Which encodings notice"};
  const table = add(add(parent, "div", scroll), "table", {class: "answers"});
  const top = add(add(table, "thead"), "tr");
  add(top, "th", {scope: "col"}, "encoding");
  const heads = words.map(() => add(top, "th", {scope: "col"}));
  add(top, "th", {scope: "col"}, "notices?");
  const body = add(table, "tbody");
  const rows = ENCODINGS.map((name) => {
    const row = add(body, "tr");
    add(row, "th", {scope: "row"}, name);
    return {row, cells: words.map(() => add(row, "td")), verdict: add(row, "td", {class: "noticed"})};
  });
  return (order, found, theme) => {
    const colour = heat(theme), letters = ink(theme);
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
    return `“${text}”: nothing has moved, so no output has changed. Drag a word, or turn the whole ` +
      "sentence round.";
  const where = start ? `, ${start} position${start === 1 ? "" : "s"} further on` : "";
  const none = "Every encoding notices.";
  return `“${text}”${where}. The numbers say how far each word's output has moved, as a part of its ` +
    `length. ${blind.length ? `Not noticed by: ${blind.join("; ")}.` : none}`;
}

export default async function draw(element, options) {
  const data = await (await fetch(`${options.data}attention.json`)).json();
  const {words} = data, places = range(words.length).map(String);
  const all = (found) => found.length === places.length;
  const figure = new Explorable(element, options, {
    order: list(places, SWAPPED, all), start: number(0, 20, 0),
  });
  const chips = sentence(figure, figure.stage, words), show = answers(figure.stage, words);
  figure.slider("start", "Begin it at", ({start}) => `position ${start}`);
  figure.button("Dog bites man", () => ({order: places}));
  figure.button("Man bites dog", () => ({order: SWAPPED}));
  figure.button("Backwards", ({order}) => ({order: order.toReversed()}));
  let last, found;
  const asked = ({order, start}) => {
    const now = `${order} ${start}`;
    if (now !== last) found = ENCODINGS.map((name) => changes(data, name, order.map(Number), start));
    last = now;
    return found;
  };
  if (!calm.matches) element.classList.add("moves");
  figure.run((state) => {
    chips(state);
    show(state.order, asked(state), options.theme);
  }, (state) => say(words, state, asked(state)));
}
