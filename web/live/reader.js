/** A sentence as one of the models reads it, and what was read before. */

import {softmax} from "./bert.js";
import {model} from "./weights.js";
import {MASK} from "./words.js";
import {WordPiece} from "./wordpiece.js";

const BEST = 5;

/** Reads sentences with the models, each loaded when first asked for; `loaded` is told. */
export class Reader {
  #models = new Map();
  #last;

  constructor(known, loaded) {
    this.known = known;
    this.loaded = loaded;
    this.coder = new WordPiece(known.vocabulary);
  }

  /** What the model with an encoding makes of a text; with `before`, where the two compare. */
  read({e, s}) {
    if (this.#last?.e === e && this.#last.s === s) return this.#last;
    const found = this.#models.get(e);
    if (found === undefined) this.#load(e);
    if (!found || found.failed) return {e, s, missing: found?.failed ?? "loading"};
    const now = {e, s, ...this.#answer(found, s)};
    // A change of the encoding, or the same words in another order, can be told from one before.
    const like = this.#last && String(now.ids.toSorted()) === String(this.#last.ids.toSorted());
    now.before = like ? {...this.#last, before: undefined} : undefined;
    this.#last = now;
    return now;
  }

  /** A word as the models read it. */
  pieces(word) {
    return this.coder.encode(word).map((id) => this.known.vocabulary[id]);
  }

  #answer(bert, text) {
    const [cls, sep, mask] = ["[CLS]", "[SEP]", MASK].map((each) => this.coder.ids.get(each));
    const all = this.coder.encode(text),
      room = this.known.longest - 2;
    const ids = [cls, ...all.slice(0, room), sep];
    const {logits, attention} = bert.read(ids);
    const width = this.known.vocabulary.length;
    const rows = ids.flatMap((id, place) => (id === mask ? [place] : []));
    const gaps = rows.map((row) =>
      this.#gap(softmax(logits.subarray(row * width, (row + 1) * width))),
    );
    const tokens = ids.map((id) => this.known.vocabulary[id]);
    const lost = all.slice(room).filter((id) => id === mask).length;
    return {ids, tokens, rows, gaps, attention, cut: all.length > room, lost};
  }

  /** What may stand in a gap: of each piece its probability, and the likeliest, best first. */
  #gap(probabilities) {
    const ids = probabilities
      .map((_, id) => id)
      .sort((a, b) => probabilities[b] - probabilities[a]);
    const likely = ids.slice(0, BEST).map((id) => [this.known.vocabulary[id], probabilities[id]]);
    return {probabilities, likely};
  }

  async #load(encoding) {
    this.#models.set(encoding, false);
    const failed = (error) => ({failed: String(error.message)});
    this.#models.set(encoding, await model(encoding, this.known).catch(failed));
    this.loaded();
  }
}
