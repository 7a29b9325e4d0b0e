/** The mini BERT of `helpers.model`, in plain JavaScript: norms before each part, heads side by side. */

import {HOOKS} from "./encodings.js";

const EPSILON = 1e-12; // of the LayerNorms

/** x·Wᵀ + b, (T, a) → (T, n); W is (n, a), and b has n numbers. */
export function linear(x, weight, bias) {
  const out = bias.length;
  const width = weight.length / out;
  const rows = x.length / width;
  const y = new Float32Array(rows * out);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < out; column++) {
      let sum = bias[column];
      for (let n = 0; n < width; n++) sum += x[row * width + n] * weight[column * width + n];
      y[row * out + column] = sum;
    }
  }
  return y;
}

/** Each row of x brought to mean 0 and variance 1, times `weight`, plus `bias`. */
function layerNorm(x, weight, bias) {
  const width = weight.length;
  const y = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    const row = x.subarray(start, start + width);
    const mean = row.reduce((sum, each) => sum + each, 0) / width;
    const variance = row.reduce((sum, each) => sum + (each - mean) ** 2, 0) / width;
    const scale = 1 / Math.sqrt(variance + EPSILON);
    for (let n = 0; n < width; n++) y[start + n] = (row[n] - mean) * scale * weight[n] + bias[n];
  }
  return y;
}

/** The error function; Abramowitz and Stegun 1964, 7.1.26, off by 1.5e-7 at most. */
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const polynomial =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - polynomial * Math.exp(-x * x));
}

const gelu = (x) => x.map((each) => (each * (1 + erf(each / Math.SQRT2))) / 2);
const sum = (x, y) => x.map((each, n) => each + y[n]);

/** The probabilities of one row of logits. */
export function softmax(logits) {
  const largest = Math.max(...logits);
  const powers = Array.from(logits, (each) => Math.exp(each - largest));
  const total = powers.reduce((so_far, each) => so_far + each, 0);
  return powers.map((each) => each / total);
}

export class Bert {
  /**
   * @param {{d_model: number, num_layers: number, num_heads: number}} size
   * @param {string} encoding - a name of HOOKS.
   * @param {Map<string, Float32Array>} weights - by the names that PyTorch has for them.
   */
  constructor(size, encoding, weights) {
    this.width = size.d_model;
    this.heads = size.num_heads;
    this.numLayers = size.num_layers;
    this.hooks = HOOKS[encoding];
    this.weights = weights;
  }

  /**
   * @param {number[]} ids - the tokens, T of them.
   * @returns {{logits: Float32Array, attention: Float32Array[][]}} (T, V), and for each layer and
   *   head who looks at whom, (T, T).
   */
  read(ids) {
    const attention = [];
    let x = this.#norm(this.#embedded(ids), "bert.norm");
    for (let layer = 0; layer < this.numLayers; layer++) {
      const name = `bert.layers.${layer}`;
      const {mixed, weights} = this.#attend(this.#norm(x, `${name}.norms.0`), layer, ids.length);
      attention.push(weights);
      x = sum(x, mixed);
      const wide = gelu(this.#linear(this.#norm(x, `${name}.norms.1`), `${name}.mlp.0`));
      x = sum(x, this.#linear(wide, `${name}.mlp.2`));
    }
    x = this.#norm(x, "bert.last_norm");
    x = this.#norm(gelu(this.#linear(x, "transform.0")), "transform.2");
    return {logits: linear(x, this.#get("bert.words.weight"), this.#get("bias")), attention};
  }

  /** Token + segment + what the encoding adds. */
  #embedded(ids) {
    const words = this.#get("bert.words.weight");
    const segment = this.#get("bert.segments.weight"); // every token is of the first segment
    const x = new Float32Array(ids.length * this.width);
    ids.forEach((id, p) => {
      for (let n = 0; n < this.width; n++)
        x[p * this.width + n] = words[id * this.width + n] + segment[n];
    });
    this.hooks.embed?.(x, this.width, this.#own(0));
    return x;
  }

  /** What attention adds to each token, and the weights of each head. */
  #attend(x, layer, length) {
    const name = `bert.layers.${layer}.attention`;
    const {width, heads} = this;
    const all = this.#linear(x, `${name}.qkv`); // (T, 3·D)
    const mixed = new Float32Array(length * width);
    const weights = [];
    for (let head = 0; head < heads; head++) {
      const [q, k, v] = [0, 1, 2].map((part) =>
        columns(all, 3 * width, part * width, head, width / heads),
      );
      const [found, context] = this.#head(q, k, v, {length, head, heads, own: this.#own(layer)});
      weights.push(found);
      place(context, mixed, width, head);
    }
    return {mixed: this.#linear(mixed, `${name}.out`), weights};
  }

  /** Weights (T, T) and context (T, d) of one head. */
  #head(q, k, v, place) {
    const {length} = place;
    const d = q.length / length;
    this.hooks.rotate?.(q, d);
    this.hooks.rotate?.(k, d);
    const bias = this.hooks.bias?.(q, place);
    const weights = new Float32Array(length * length);
    const context = new Float32Array(length * d);
    for (let i = 0; i < length; i++) {
      const row = new Float32Array(length);
      for (let j = 0; j < length; j++) {
        let product = 0;
        for (let n = 0; n < d; n++) product += q[i * d + n] * k[j * d + n];
        row[j] = product / Math.sqrt(d) + (bias ? bias[i * length + j] : 0);
      }
      weights.set(softmax(row), i * length);
      for (let j = 0; j < length; j++)
        for (let n = 0; n < d; n++) context[i * d + n] += weights[i * length + j] * v[j * d + n];
    }
    this.hooks.context?.(context, weights, place);
    return [weights, context];
  }

  #get(name) {
    return this.weights.get(name);
  }

  #linear(x, name) {
    return linear(x, this.#get(`${name}.weight`), this.#get(`${name}.bias`));
  }

  #norm(x, name) {
    return layerNorm(x, this.#get(`${name}.weight`), this.#get(`${name}.bias`));
  }

  /** What the encoding has learned for a layer: the first layer's is the model's own. */
  #own(layer) {
    const name = layer ? `bert.layers.${layer}.attention.encoding` : "bert.position";
    return (parameter) => this.#get(`${name}.${parameter}`);
  }
}

/** One head's columns of (T, `width`), from `start` on: (T, d). */
function columns(x, width, start, head, d) {
  const rows = x.length / width;
  const found = new Float32Array(rows * d);
  for (let row = 0; row < rows; row++) {
    const from = row * width + start + head * d;
    found.set(x.subarray(from, from + d), row * d);
  }
  return found;
}

/** Puts one head's (T, d) into its columns of (T, D). */
function place(context, mixed, width, head) {
  const rows = mixed.length / width;
  const d = context.length / rows;
  for (let row = 0; row < rows; row++)
    mixed.set(context.subarray(row * d, (row + 1) * d), row * width + head * d);
}
