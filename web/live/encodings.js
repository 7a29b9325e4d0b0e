/**
 * Where position enters, by encoding: the four hooks of `helpers.encodings`, for one head.
 *
 * `own` gives a learned parameter by its name. Scores are added to the scaled q·kᵀ.
 */

const BASE = 10_000;

/** Calls `add(i, j)` for each pair and gives the (T, T) of what it returns. */
function pairs(length, add) {
  const found = new Float32Array(length * length);
  for (let i = 0; i < length; i++)
    for (let j = 0; j < length; j++) found[i * length + j] = add(i, j);
  return found;
}

/** x_p + [sin pω_n, cos pω_n], ω_n = 10,000^(−2n/D). */
function sinusoids(x, width) {
  for (let n = 0; n < x.length; n++) {
    const column = n % width;
    const angle = Math.floor(n / width) * BASE ** (-(column - (column % 2)) / width);
    x[n] += column % 2 ? Math.cos(angle) : Math.sin(angle);
  }
}

/** x_p + row p of a learned table. */
function table(x, width, own) {
  const rows = own("table");
  for (let n = 0; n < x.length; n++) x[n] += rows[n];
}

/** Pair n of columns turned by p·10,000^(−2n/d): RoPE. */
function turn(x, d) {
  for (let n = 0; n < x.length; n += 2) {
    const angle = Math.floor(n / d) * BASE ** (-(n % d) / d);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    [x[n], x[n + 1]] = [x[n] * cos - x[n + 1] * sin, x[n] * sin + x[n + 1] * cos];
  }
}

/** −m_h·|j − i|, m_h = 2^(−8h/H) for h = 1 … H, a power of 2: ALiBi. */
function slope(q, {length, head, heads}) {
  const m = 2 ** ((-8 * (head + 1)) / heads);
  return pairs(length, (i, j) => -m * Math.abs(j - i));
}

/** Row of a table by offset, from −k to k, further ones clipped: Shaw. */
function clipped(offset, rows, d) {
  const k = (rows.length / d - 1) / 2;
  return (Math.max(-k, Math.min(k, offset)) + k) * d;
}

/** q_i·w^K[j − i]/√d. */
function shawKeys(q, {length, own}) {
  const d = q.length / length;
  const keys = own("keys");
  return pairs(length, (i, j) => {
    const row = clipped(j - i, keys, d);
    let product = 0;
    for (let n = 0; n < d; n++) product += q[i * d + n] * keys[row + n];
    return product / Math.sqrt(d);
  });
}

/** Σ_j α_ij w^V[j − i], added to the context. */
function shawValues(context, weights, {length, own}) {
  const d = context.length / length;
  const values = own("values");
  for (let i = 0; i < length; i++) {
    for (let j = 0; j < length; j++) {
      const row = clipped(j - i, values, d);
      for (let n = 0; n < d; n++) context[i * d + n] += weights[i * length + j] * values[row + n];
    }
  }
}

export const HOOKS = {
  none: {},
  sinusoidal: {embed: sinusoids},
  learned: {embed: table},
  rotary: {rotate: turn},
  alibi: {bias: slope},
  shaw: {bias: shawKeys, context: shawValues},
};
