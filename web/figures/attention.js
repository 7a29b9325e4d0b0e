/** One layer of attention with fixed weights, equal to helpers.model.attention in all its rows. */

import {alibi, dot, range, rotary, sinusoids, slopes, softmax} from "./formulas.js";

export const ENCODINGS = [
  "No positions",
  "No positions, causal mask",
  "Sinusoidal",
  "Learned table",
  "ALiBi, symmetric",
  "ALiBi, directional",
  "Shaw's keys",
  "RoPE",
];

const plus = (left, right) => left.map((each, n) => each + right[n]);
const linear = (matrix, bias, x) => matrix.map((row, n) => dot(row, x) + bias[n]);
const head = (vector, which, width) => vector.slice(which * width, (which + 1) * width);

/** What an encoding adds at the input to the vector of the word at `position`. */
function atInput(name, position, data) {
  if (name === "Sinusoidal") return sinusoids(position, data.x[0].length);
  if (name === "Learned table") return data.learned[position];
  return data.x[0].map(() => 0);
}

/** What it adds to the scaled score of a query and a key `offset` further on. */
function toScore(name, query, offset, slope, data) {
  if (name === "No positions, causal mask") return offset > 0 ? -Infinity : 0;
  if (name.startsWith("ALiBi")) return alibi(slope, offset, name.slice("ALiBi, ".length));
  if (name !== "Shaw's keys") return 0;
  const k = (data.shaw.length - 1) / 2;
  return dot(query, data.shaw[Math.max(-k, Math.min(k, offset)) + k]) / Math.sqrt(query.length);
}

/** Output of each word, in the order of `words`; the first stands at position `start`.
 *
 * `words`: which word of the sentence stands where, so that a word may be moved.
 */
export function attend(data, name, words, start) {
  const {weights, heads} = data,
    width = data.x[0].length / heads;
  const made = words.map((word, n) => {
    const x = plus(data.x[word], atInput(name, start + n, data));
    const all = linear(weights["qkv.weight"], weights["qkv.bias"], x);
    return range(3).map((part) => all.slice(part * x.length, (part + 1) * x.length));
  });
  const by = slopes(heads);
  const outputs = words.map(() => []);
  for (const h of range(heads)) {
    const [queries, keys, values] = range(3).map((part) =>
      made.map((row) => head(row[part], h, width)),
    );
    const turn = (vector, n) => (name === "RoPE" ? rotary(vector, start + n) : vector);
    const turnedKeys = keys.map(turn);
    queries.forEach((plain, i) => {
      const query = turn(plain, i);
      const scores = turnedKeys.map(
        (key, j) => dot(query, key) / Math.sqrt(width) + toScore(name, query, j - i, by[h], data),
      );
      const alpha = softmax(scores);
      for (const n of range(width))
        outputs[i].push(alpha.reduce((sum, each, j) => sum + each * values[j][n], 0));
    });
  }
  return outputs.map((each) => linear(weights["out.weight"], weights["out.bias"], each));
}

/** How far each word's output has moved, as a part of its length, from the sentence as it was. */
export function changes(data, name, words, start) {
  const before = attend(data, name, range(words.length), 0),
    after = attend(data, name, words, start);
  return words.map((word, n) => {
    const gap = after[n].map((each, m) => each - before[word][m]);
    return Math.sqrt(dot(gap, gap) / dot(before[word], before[word]));
  });
}
