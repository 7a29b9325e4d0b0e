/** A mini BERT that answers in the page: type a sentence with [MASK], switch its encoding. */

import {Guesses, change, percent} from "./guesses.js";
import {Heads, table} from "./heads.js";
import {Explorable, add, fixed, number, oneOf} from "./kit.js";
import {Reader} from "./reader.js";
import {index} from "./weights.js";
import {MASK, Words, join, split} from "./words.js";

const NAMES = {
  none: "no positions",
  sinusoidal: "sinusoidal",
  learned: "learned table",
  rotary: "RoPE",
  alibi: "ALiBi",
  shaw: "Shaw",
};
const EXAMPLES = [
  "Raise a [MASK] if the file does not exist.",
  "Raise an error if the file does [MASK] exist.",
  "If two values [MASK] equal, return true.",
  "If the values of the array [MASK] equal, return true.",
];
const SAME = 1e-5; // of a probability: nothing but rounding
const MOST = 300; // letters of a sentence

const plain = (text) => text.slice(0, MOST).replace(/\s/g, " ");
const normal = (text) => plain(text).replace(/\[mask\]/gi, MASK);
const sentence = {start: EXAMPLES[0], parse: normal, print: String};

/** Sentences to begin with. */
function examples(figure, parent) {
  const row = add(parent, "div", {class: "live-examples"});
  add(row, "span", {class: "hint"}, "or try:");
  for (const each of EXAMPLES)
    add(row, "button", {type: "button", class: "chip small"}, each).addEventListener("click", () =>
      figure.set({s: each}),
    );
}

/** Where the sentence is typed. */
function field(figure) {
  const box = add(figure.stage, "div", {class: "live-field"});
  add(box, "label", {for: "live-text"}, "Your sentence");
  const input = add(box, "textarea", {
    id: "live-text",
    rows: 2, // where its height does not follow the sentence
    maxlength: MOST,
    autocomplete: "off",
    spellcheck: "false",
  });
  input.addEventListener("input", () => figure.set({s: normal(input.value)}));
  input.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  return (text) => {
    if (normal(input.value) !== text) input.value = text;
  };
}

/** The change since the encoding was switched or a word was moved, in a sentence. */
function compared({e, gaps, before}) {
  if (!before) return "";
  const moved = before.e === e,
    by = change(gaps, before.gaps);
  if (by < SAME && moved && e === "none")
    return " Moving words changes nothing here: without positions, a sentence is a bag of words.";
  const since = moved ? "a word was moved" : `the encoding was ${NAMES[before.e]}`;
  if (by < SAME) return ` Nothing has changed since ${since}.`;
  return ` Since ${since}, a probability has changed by ${percent(by)} at most.`;
}

function say(found, {encodings, longest}) {
  if (found.missing === "loading") return "The weights are being loaded.";
  if (found.missing)
    return `The weights could not be loaded: ${found.missing}. Load the page again.`;
  const cut = found.cut
    ? ` The sentence is longer than the ${longest} tokens that this model reads, so its ` +
      `end is left out${found.lost ? `, with ${found.lost} [MASK]` : ""}.`
    : "";
  if (!found.gaps.length)
    return `There is no [MASK] in what the model reads. Press a word to hide it.${cut}`;
  const likely = found.gaps[0].likely.map(
    ([piece, probability]) => `${piece} (${percent(probability)})`,
  );
  const {right} = encodings[found.e],
    name = NAMES[found.e];
  return (
    `With ${name}, [MASK] is most likely ${likely.join(", ")}.${compared(found)}${cut} ` +
    `In sentences that it has not read, this model fills ${percent(right)} of the hidden pieces right.`
  );
}

/** What to try, and what the models can show; in the page above who looks at whom. */
function help(figure) {
  const box = add(figure.element, "div");
  add(
    box,
    "p",
    {class: "hint"},
    "Drag a word to another place, or move it with the arrow keys. Press a " +
      "word to hide it, and [MASK] to fill it. A dotted word is read in pieces; ## goes on the piece before it. " +
      "A bold answer is among the likeliest of one model only.",
  );
  examples(figure, box);
  add(
    box,
    "p",
    {class: "note"},
    "These models are tiny, and each was trained once: they show how an encoding enters, and do not say " +
      "which one is better. They know the language of programs and little grammar: " +
      "a verb follows the nearest noun, “the values of the array is”.",
  );
}

/** What the models are. */
function provenance(figure, {encodings, text, training, date, vocabulary}) {
  const rows = Object.entries(encodings).map(([name, {loss, right, bytes}]) => [
    NAMES[name],
    fixed(loss),
    percent(right),
    `${Math.round(bytes / 1000)} kB`,
  ]);
  figure.table(
    "The six models",
    () => ["encoding", "loss in nats", "filled right", "size"],
    () => rows,
  );
  const count = text.sentences.toLocaleString("en");
  add(
    figure.element,
    "p",
    {class: "note"},
    `Six models of two layers, alike but for their encoding, trained by make study on ${date}: ` +
      `${training.steps.toLocaleString("en")} steps on ${count} sentences from the docstrings of Python packages, ` +
      `${vocabulary.length.toLocaleString("en")} pieces. One training run each.`,
  );
}

/** The sentence word by word: another order changes it, and so does pressing a word. */
function chips(figure, reader) {
  const words = new Words(
    figure.stage,
    (order) => figure.set({s: join(order)}),
    (place) => {
      const now = split(figure.state.s),
        gaps = now.slice(0, place).filter((each) => each === MASK);
      const likeliest = reader
        .read(figure.state)
        .gaps?.[gaps.length]?.likely[0][0].replace(/^##/, "");
      const put = now[place] === MASK ? likeliest : MASK;
      if (put) figure.set({s: join(now.with(place, put))});
    },
  );
  return (text) => words.show(split(text), reader);
}

export default async function draw(element, options) {
  const known = await index(options.folder);
  const {num_layers: layers, num_heads: perLayer} = known.size;
  const figure = new Explorable(element, options, {
    e: oneOf(Object.keys(known.encodings), "rotary"),
    s: sentence,
    h: number(1, layers * perLayer, 1),
  });
  const [reader, blind] = [1, 2].map(() => new Reader(known, () => figure.set({})));
  const type = field(figure),
    words = chips(figure, reader);
  const guesses = new Guesses(figure.stage);
  figure.choice("e", "Encoding", NAMES);
  help(figure);
  const heads = new Heads(element, layers, perLayer, (h) => figure.set({h}));
  figure.table(
    "The chosen head as a table",
    (state) => ["from", ...(reader.read(state).tokens ?? [])],
    (state) => {
      const {attention, tokens} = reader.read(state);
      return attention ? table(attention.flat()[state.h - 1], tokens) : [];
    },
  );
  provenance(figure, known);
  figure.run(
    (state) => {
      type(state.s);
      words(state.s);
      const {missing, gaps, attention, tokens, rows} = reader.read(state);
      if (missing) return;
      const beside = state.e === "none" ? undefined : blind.read({e: "none", s: state.s});
      guesses.show(gaps, NAMES[state.e], beside?.gaps);
      heads.show(attention, tokens, rows, state.h, options.theme);
    },
    (state) => say(reader.read(state), known),
  );
}
