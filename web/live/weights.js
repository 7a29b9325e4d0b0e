/** The six models as `benchmarks/live_study.py` wrote them; each is fetched when it is asked for. */

import {Bert} from "./bert.js";

const AS_A_FILE =
  "its models are fetched, which browsers refuse where a page was opened as a file. " +
  "Run “python -m http.server” in the folder of this site, and open http://localhost:8000.";

async function fetched(name, folder) {
  if (location.protocol === "file:") throw new Error(AS_A_FILE);
  const answer = await fetch(new URL(`weights/${name}`, folder));
  if (!answer.ok) throw new Error(`${answer.url} answers ${answer.status}`);
  return answer;
}

/** What there is in `folder`: vocabulary, sizes, and for each encoding its shapes and its scores. */
export const index = async (folder) => ({
  ...(await (await fetched("weights.json", folder)).json()),
  folder,
});

/** Weights by name: vectors as they are, matrices as int16 times a scale for each row. */
export function unpacked(buffer, shapes) {
  const entries = Object.entries(shapes);
  const count = entries.reduce((sum, [, [rows]]) => sum + rows, 0);
  const floats = new Float32Array(buffer, 0, count);
  const integers = new Int16Array(buffer, 4 * count);
  let vector = 0,
    matrix = 0;
  return new Map(
    entries.map(([name, [rows, columns]]) => {
      const scales = floats.subarray(vector, (vector += rows));
      if (columns === undefined) return [name, scales];
      const rounded = integers.subarray(matrix, (matrix += rows * columns));
      return [
        name,
        Float32Array.from(rounded, (each, n) => each * scales[Math.floor(n / columns)]),
      ];
    }),
  );
}

/** The model with one encoding. */
export async function model(encoding, {size, encodings, folder}) {
  const buffer = await (await fetched(`${encoding}.bin`, folder)).arrayBuffer();
  return new Bert(size, encoding, unpacked(buffer, encodings[encoding].shapes));
}
