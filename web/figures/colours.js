/** Numbers as colours: purple above zero, orange below, the page's own paper at zero. */

const STOPS = {
  light: ["#7f3b08", "#e08214", "#fdd9a9", "#ffffff", "#d0c8e6", "#8073ac", "#2d004b"],
  dark: ["#ffcf8f", "#e08214", "#5d3a14", "#15191f", "#3a3163", "#8474c4", "#d9d0ff"],
};
const STEPS = 256;

const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));

function ramp(stops) {
  return Array.from({length: 2 * STEPS + 1}, (_, n) => {
    const at = (n / (2 * STEPS)) * (stops.length - 1),
      from = Math.min(stops.length - 2, Math.floor(at));
    const low = rgb(stops[from]),
      high = rgb(stops[from + 1]);
    return low.map((each, c) => Math.round(each + (at - from) * (high[c] - each)));
  });
}

const RAMPS = Object.fromEntries(Object.entries(STOPS).map(([name, stops]) => [name, ramp(stops)]));
const TEXTS = Object.fromEntries(
  Object.entries(RAMPS).map(([name, all]) => [name, all.map((each) => `rgb(${each.join(" ")})`)]),
);

const index = (value) => Math.round((Math.max(-1, Math.min(1, value)) + 1) * STEPS);

/** Gives the colour of a number from −1 to 1, as CSS has it. */
export const heat = (theme) => (value) => TEXTS[theme][index(value)];

/** Black or white, whichever can be read on the colour of a number from −1 to 1. */
export const ink = (theme) => (value) => {
  const [red, green, blue] = RAMPS[theme][index(value)];
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#000" : "#fff";
};

/** A canvas of (rows, columns) squares, and a function that paints numbers from −1 to 1. */
export function matrix(canvas, rows, columns) {
  canvas.width = columns;
  canvas.height = rows;
  const brush = canvas.getContext("2d"),
    image = brush.createImageData(columns, rows);
  image.data.fill(255);
  return (values, theme) => {
    const colours = RAMPS[theme];
    values.forEach((value, n) => image.data.set(colours[index(value)], 4 * n));
    brush.putImageData(image, 0, 0);
  };
}
