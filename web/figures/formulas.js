/** The formulas that figures draw, equal to those of helpers/encodings; a test compares them. */

export const range = (count) => Array.from({length: count}, (_, index) => index);

/** ω_i = base^(−2i/D) for each pair of columns, in radians a position. */
export const frequencies = (width, base = 10_000) =>
  range(Math.ceil(width / 2)).map((i) => base ** ((-2 * i) / width));

/** PE(p): sine and cosine of p·ω_i, side by side. */
export const sinusoids = (position, width, base = 10_000) =>
  frequencies(width, base)
    .flatMap((omega) => [Math.sin(position * omega), Math.cos(position * omega)])
    .slice(0, width);

/** PE(p)ᵀ W M_k PE(q) · 2/D for all p and q, row by row; W is [a, b; c, d] for each pair. */
export function similarity(length, width, [a, b, c, d], k, base) {
  const omega = frequencies(width, base),
    found = new Float64Array(length * length);
  omega.forEach((each) => {
    const angles = range(length).map((p) => p * each);
    const sin = angles.map(Math.sin),
      cos = angles.map(Math.cos);
    for (let q = 0; q < length; q++) {
      const nextSin = Math.sin((q + k) * each),
        nextCos = Math.cos((q + k) * each); // M_k PE(q)
      const first = a * nextSin + b * nextCos,
        second = c * nextSin + d * nextCos;
      for (let p = 0; p < length; p++)
        found[p * length + q] += (sin[p] * first + cos[p] * second) * (2 / width);
    }
  });
  return found;
}

export function dot(left, right) {
  let sum = 0;
  for (let n = 0; n < left.length; n++) sum += left[n] * right[n];
  return sum;
}

/** A pair of numbers, turned. */
export const turned = ([a, b], angle) => [
  a * Math.cos(angle) - b * Math.sin(angle),
  a * Math.sin(angle) + b * Math.cos(angle),
];

/** A vector of pairs, side by side, turned as RoPE turns it at `position`. */
export const rotary = (vector, position, base = 10_000) =>
  frequencies(vector.length, base).flatMap((theta, n) =>
    turned([vector[2 * n], vector[2 * n + 1]], position * theta),
  );

/** How far round the circle offsets up to ±`largest` lead to each side at θ: 1/2 is all of it. */
export const reached = (largest, theta) => Math.min(1 / 2, (largest * theta) / (2 * Math.PI));

/** θ of each pair as YaRN has it (Peng et al. 2023, section 3.2), the ramp and where it lies.
 *
 * Pairs that turn more than `fast` times within `length` positions stay as they are, those that
 * turn less than `slow` times are slowed by `factor`, and between them lies a ramp over the pairs.
 */
export function yarn(width, length, factor, {base = 10_000, fast = 32, slow = 1} = {}) {
  const turning = (times) =>
    (width * Math.log(length / (times * 2 * Math.PI))) / (2 * Math.log(base));
  const low = Math.max(0, Math.floor(turning(fast)));
  const high = Math.min(width - 1, Math.ceil(turning(slow)));
  const before = frequencies(width, base);
  const ramp = before.map((_, n) =>
    Math.min(1, Math.max(0, (n - low) / (high === low ? 0.001 : high - low))),
  );
  const after = before.map((theta, n) => theta * (1 - ramp[n]) + (theta / factor) * ramp[n]);
  return {low, high, ramp, before, after, temperature: 0.1 * Math.log(factor) + 1};
}

/** ALiBi's slopes: 2^(−8h/H), and as the authors' code has them where H is no power of 2. */
export function slopes(heads) {
  const below = 2 ** Math.floor(Math.log2(heads));
  const plain = (count) => range(count).map((h) => 2 ** ((-8 * (h + 1)) / count));
  return [
    ...plain(below),
    ...plain(2 * below)
      .filter((_, n) => n % 2 === 0)
      .slice(0, heads - below),
  ];
}

/** What ALiBi adds to the score of a key `offset` away. */
export function alibi(slope, offset, form) {
  if (offset > 0 && form === "causal") return -Infinity;
  return -slope * Math.abs(offset) * (offset > 0 && form === "directional" ? 2 : 1);
}

export function softmax(scores) {
  const most = Math.max(...scores),
    raised = scores.map((score) => Math.exp(score - most));
  const sum = raised.reduce((a, b) => a + b, 0);
  return raised.map((each) => each / sum);
}

/** Where the number of row i and column c lies after the skew; negative columns, or those from T
 * on, are never read. Rows had 2T − 1 numbers and got one more.
 */
export function skewed(length, row, column) {
  const index = 2 * length * row + column - (length - 1); // the memory is read from T − 1 on
  const place = Math.floor(index / (2 * length - 1));
  return [place, index - place * (2 * length - 1)];
}

/** Scores of all keys for the query at (row, column) on a grid of patches, row by row, at most 1.
 *
 * 2-D RoPE: half of the pairs turn by the row, half by the column. In reading order all pairs turn
 * by the one number that counts the patches. The query wishes for the key `wish` = [down, right].
 */
export function patchScores(side, width, [row, column], wish, order, base = 100) {
  const omega = frequencies(order === "axes" ? width / 2 : width, base);
  const wave = (offset) =>
    omega.reduce((sum, theta) => sum + Math.cos(offset * theta), 0) / (width / 2);
  const downs = range(side).map((n) => n - row - wish[0]);
  const rights = range(side).map((n) => n - column - wish[1]);
  if (order !== "axes")
    return downs.flatMap((down) => rights.map((right) => wave(side * down + right)));
  const [above, beside] = [downs.map(wave), rights.map(wave)];
  return above.flatMap((first) => beside.map((second) => first + second));
}
