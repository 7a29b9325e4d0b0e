/** What all figures share: state that lives in a page's address, controls, frames, and the words.
 *
 * A figure names its state once, `{k: number(0, 60, 3)}`, builds its picture, and gives `run` a
 * `draw(shown)` and a `say(state)`. Whatever changes the state, a slider, a key, a finger or the
 * address, draws anew in the next frame, once.
 */

export const calm = matchMedia("(prefers-reduced-motion: reduce)");
const SVG = "http://www.w3.org/2000/svg";
const EASE = 70; // milliseconds in which a picture covers two thirds of its way
const REST = 250; // milliseconds without a change, after which address and words are written
// What a key adds, to the right and up: a step, five of them, or all the way.
const KEYS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  PageUp: [0, 5],
  PageDown: [0, -5],
  Home: [-Infinity, 0],
  End: [Infinity, 0],
};

/** A number of the state: its bounds, where it begins, and the step of its control. */
export const number = (min, max, start, step = 1) => ({
  min,
  max,
  start,
  step,
  parse: (text) => within(min, max, Math.round(Number(text || NaN) / step) * step),
  print: (value) => String(Number(value.toFixed(4))),
});

/** One of some words. */
export const oneOf = (values, start = values[0]) => ({
  start,
  values,
  parse: (text) => (values.includes(text) ? text : undefined),
  print: String,
});

/** Several of some words, or all of them in another order; `good` says which lists are allowed. */
export const list = (values, start, good = () => true) => ({
  start,
  values,
  parse: (text) => {
    const found = text.split("~").filter((each) => values.includes(each));
    return new Set(found).size === found.length && good(found) ? found : undefined;
  },
  print: (value) => value.join("~"),
});

export function within(min, max, value) {
  return Number.isNaN(value) ? undefined : Math.min(max, Math.max(min, value));
}

/** A new element at the end of `parent`, in SVG where the parent is. */
export function add(parent, tag, attributes = {}, text) {
  const drawn = tag === "svg" || parent instanceof SVGElement;
  const made = drawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

/** Changes attributes, and touches only those that are not yet so. */
export function put(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const text = typeof value === "number" ? String(Math.round(value * 100) / 100) : value;
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}

/** Changes a text, and leaves the page alone where it is so already. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A number with the minus sign of print. */
export const fixed = (value, digits = 2) => {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
};

/** How often, in words. */
export const times = (count, text = count) => (count === 1 ? "once" : `${text} times`);

const encoded = (text) => encodeURIComponent(text).replaceAll("%20", "+");

function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    return "";
  }
}

export class Explorable {
  #draw;
  #say;
  #frame = 0;
  #before = 0;
  #rest;
  #told;
  #buttons;
  #controls = [];
  #shown = {};
  #eased;
  #spec;
  #mark = Math.random().toString(36).slice(2); // in ids: a notebook may show a figure twice

  /** `spec`: the state, by name; `eased`: its numbers that the picture approaches smoothly. */
  constructor(element, options, spec, eased = []) {
    this.name = element.dataset.module;
    this.options = options;
    this.#spec = spec;
    this.#eased = eased;
    this.state = Object.fromEntries(Object.entries(spec).map(([key, {start}]) => [key, start]));
    this.element = element;
    this.stage = add(element, "div", {class: "stage"});
    this.panel = add(element, "div", {class: "controls"});
    this.says = add(element, "p", {class: "says", "aria-hidden": "true"});
  }

  /** Begin: with what the address says, and from then on with each change. */
  run(draw, say) {
    this.#draw = draw;
    this.#say = say;
    if (this.options.address) this.#read();
    for (const key of this.#eased) this.#shown[key] = this.state[key];
    // Its words are there before it is, so that nobody is told what nobody has asked for.
    this.#told = document.createElement("p");
    this.#told.className = "told";
    this.#told.setAttribute("aria-live", "polite");
    this.#told.textContent = say(this.state);
    this.element.append(this.#told);
    this.#tick(performance.now());
    if (this.options.address) addEventListener("hashchange", () => this.#read() && this.#changed());
    this.options.onTheme?.(() => this.#request());
    this.element.classList.add("ready");
  }

  /** Change some of the state; drawn in the next frame. */
  set(changes) {
    Object.assign(this.state, changes);
    this.#changed();
  }

  #changed() {
    this.#request();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      if (this.options.address) this.#write();
      write(this.#told, this.#say(this.state));
    }, REST);
  }

  /** An svg of which a unit is a pixel, so that its letters are as large on a phone; its width. */
  picture(parent, high, kind) {
    const made = add(parent, "svg", {class: kind, "aria-hidden": "true"});
    let wide = 0;
    const measure = () => {
      const found = Math.round(made.getBoundingClientRect().width) || 320; // in a fold it has none
      if (found === wide) return;
      wide = found;
      put(made, {viewBox: `0 0 ${wide} ${high}`});
      if (this.#draw) this.#request();
    };
    measure();
    new ResizeObserver(measure).observe(made);
    return [made, () => wide];
  }

  slider(key, label, text) {
    const id = `${this.#mark}-${key}`,
      {min, max, step} = this.#spec[key];
    const box = add(this.panel, "div", {class: "slider"});
    add(box, "label", {for: id}, label);
    const output = add(box, "output", {for: id, "aria-hidden": "true"});
    const input = add(box, "input", {id, type: "range", min, max, step});
    input.addEventListener("input", () => this.set({[key]: Number(input.value)}));
    this.#controls.push((state) => {
      input.value = state[key];
      input.style.setProperty("--done", `${(100 * (state[key] - min)) / (max - min)}%`);
      write(output, text(state));
      put(input, {"aria-valuetext": text(state)});
    });
  }

  /** One of several, as buttons of which one is pressed in: `{value: text}`. */
  choice(key, label, texts) {
    const box = add(this.panel, "fieldset", {class: "choice"});
    add(box, "legend", {}, label);
    for (const [value, text] of Object.entries(texts)) {
      const one = add(box, "label");
      const input = add(one, "input", {type: "radio", name: `${this.#mark}-${key}`, value});
      add(one, "span", {}, text);
      input.addEventListener("change", () => this.set({[key]: value}));
      this.#controls.push((state) => (input.checked = state[key] === value));
    }
  }

  button(text, changes) {
    this.#buttons ??= add(this.panel, "div", {class: "buttons"});
    const made = add(this.#buttons, "button", {type: "button"}, text);
    made.addEventListener("click", () => this.set(changes(this.state)));
  }

  /** A part of the picture that one takes hold of: by pointer, by finger, and by the arrow keys.
   *
   * `to(x, y, state)`: what changes as its middle is dragged there, in units of its svg; `by(dx,
   * dy, state)`: as a key is pressed, up being 1; `now(state)`: [value, least, most, in words].
   */
  handle(node, label, {to, by, now}) {
    for (const [name, value] of Object.entries({role: "slider", tabindex: 0, "aria-label": label}))
      node.setAttribute(name, value);
    node.classList.add("handle");
    node.addEventListener("keydown", (event) => {
      if (!(event.key in KEYS)) return;
      event.preventDefault();
      this.set(by(...KEYS[event.key], this.state));
    });
    this.#drag(node, to);
    this.#controls.push((state) => {
      const [value, least, most, words] = now(state);
      put(node, {"aria-valuenow": value, "aria-valuemin": least, "aria-valuemax": most});
      put(node, {"aria-valuetext": words});
    });
  }

  /** Dragging: where it is taken hold of, there it stays under the pointer. */
  #drag(node, to) {
    const picture = node.closest("svg"),
      middle = node.querySelector(".knob, .bar");
    let place = null; // measured once, so that a drag asks for no layout
    const moved = (event) => {
      const {x, y, width, height} = picture.viewBox.baseVal;
      const across = x + ((event.clientX - place.left) / place.width) * width;
      const down = y + ((event.clientY - place.top) / place.height) * height;
      this.set(to(across, down, this.state));
    };
    node.classList.add("drags");
    // Else the page scrolls: `touch-action` has no effect on a part of an svg.
    node.addEventListener("touchstart", (event) => event.preventDefault(), {passive: false});
    node.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      node.focus({preventScroll: true});
      node.setPointerCapture(event.pointerId);
      const {width, height, left, top} = picture.getBoundingClientRect();
      const held = middle.getBoundingClientRect();
      place = {
        width,
        height,
        left: left + event.clientX - (held.left + held.width / 2),
        top: top + event.clientY - (held.top + held.height / 2),
      };
    });
    node.addEventListener("pointermove", (event) => place && moved(event));
    for (const end of ["pointerup", "pointercancel"])
      node.addEventListener(end, () => (place = null));
  }

  /** A table for those who would rather read; `rows(state)` is asked whenever it is open. */
  table(summary, head, rows) {
    const box = add(this.element, "details", {class: "as-table"});
    add(box, "summary", {}, summary);
    const scroll = {class: "scrolls", tabindex: 0, role: "group", "aria-label": summary};
    const table = add(add(box, "div", scroll), "table");
    const fill = (state) => {
      if (!box.open) return;
      table.replaceChildren();
      const top = add(add(table, "thead"), "tr"),
        body = add(table, "tbody");
      for (const each of head(state)) add(top, "th", {scope: "col"}, each);
      for (const [name, ...cells] of rows(state)) {
        const row = add(body, "tr");
        add(row, "th", {scope: "row"}, name);
        for (const cell of cells) add(row, "td", {}, cell);
      }
    };
    box.addEventListener("toggle", () => fill(this.state));
    this.#controls.push(fill);
  }

  #request() {
    this.#frame ||= requestAnimationFrame((time) => this.#tick(time));
  }

  #tick(time) {
    this.#frame = 0;
    const passed = Math.min(50, time - this.#before);
    const part = calm.matches ? 1 : 1 - Math.exp(-passed / EASE);
    let moving = false;
    for (const key of this.#eased) {
      const {min, max} = this.#spec[key],
        gap = this.state[key] - this.#shown[key];
      const there = Math.abs(gap) < (max - min) / 2000;
      this.#shown[key] = there ? this.state[key] : this.#shown[key] + gap * part;
      moving ||= !there;
    }
    this.#before = time;
    this.#draw({...this.state, ...this.#shown});
    for (const each of this.#controls) each(this.state);
    write(this.says, this.#say(this.state));
    if (moving) this.#request();
  }

  /** Take over what the address says of this figure: `#clock:k=3,…&skew:…`. */
  #read() {
    const mine = location.hash
      .slice(1)
      .split("&")
      .find((each) => each.startsWith(`${this.name}:`));
    if (mine === undefined) return false;
    const given = mine
      .slice(this.name.length + 1)
      .split(",")
      .map((each) => each.split("="));
    for (const [key, {start}] of Object.entries(this.#spec)) {
      const [, text] = given.find(([name]) => name === key) ?? [];
      this.state[key] = (text ? this.#spec[key].parse(decoded(text)) : undefined) ?? start;
    }
    return true;
  }

  #write() {
    const others = location.hash
      .slice(1)
      .split("&")
      .filter((each) => each.includes(":") && !each.startsWith(`${this.name}:`));
    const told = Object.entries(this.#spec)
      .map(([key, {print}]) => [key, print(this.state[key])])
      .filter(([key, text]) => text !== this.#spec[key].print(this.#spec[key].start))
      .map(([key, text]) => `${key}=${encoded(text)}`)
      .join(",");
    const all = [...others, ...(told ? [`${this.name}:${told}`] : [])].join("&");
    history.replaceState(history.state, "", all ? `#${all}` : location.pathname + location.search);
  }
}
