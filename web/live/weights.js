/** The six models as `benchmarks/live_study.py` wrote them; each is fetched when it is asked for. */

import {Bert} from "./bert.js";

const FOLDER = new URL("weights/", import.meta.url);

async function fetched(name) {
  const answer = await fetch(new URL(name, FOLDER));
  if (!answer.ok) throw new Error(`${answer.url} answers ${answer.status}`);
  return answer;
}

/** What there is: vocabulary, sizes, and for each encoding its shapes and its scores. */
export const index = async () => (await fetched("weights.json")).json();

/** Weights by name: vectors as they are, matrices as int16 times a scale for each row. */
export function unpacked(buffer, shapes) {
  const entries = Object.entries(shapes);
  const count = entries.reduce((sum, [, [rows]]) => sum + rows, 0);
  const floats = new Float32Array(buffer, 0, count);
  const integers = new Int16Array(buffer, 4 * count);
  let vector = 0, matrix = 0;
  return new Map(entries.map(([name, [rows, columns]]) => {
    const scales = floats.subarray(vector, (vector += rows));
    if (columns === undefined) return [name, scales];
    const rounded = integers.subarray(matrix, (matrix += rows * columns));
    return [name, Float32Array.from(rounded, (each, n) => each * scales[Math.floor(n / columns)])];
  }));
}

/** The model with one encoding. */
export async function model(encoding, {size, encodings}) {
  const buffer = await (await fetched(`${encoding}.bin`)).arrayBuffer();
  return new Bert(size, encoding, unpacked(buffer, encodings[encoding].shapes));
}
