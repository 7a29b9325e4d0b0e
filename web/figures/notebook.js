/** Draws figures in the outputs of a notebook, as load.js does on a page. */

/** Where words are light, the page is dark: each front end has another name for its themes. */
function themeOf(element) {
  const [red, green, blue] = getComputedStyle(element)
    .color.match(/[\d.]+/g)
    .map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 127 ? "dark" : "light";
}

/** Draw each figure of this name that nobody has begun; `stored` has the numbers that it reads. */
export function begin(name, draw, stored) {
  const all = [...document.querySelectorAll(`figure.explorable[data-module="${name}"]`)];
  for (const figure of all.filter((each) => !each.dataset.theme)) one(figure, draw, stored);
}

async function one(figure, draw, stored) {
  // JupyterLab takes a key before its target does: an arrow would lead to another cell.
  addEventListener(
    "keydown",
    ({target, altKey, ctrlKey, metaKey, shiftKey}) => {
      const plain = !(altKey || ctrlKey || metaKey || shiftKey); // Control+S still saves
      if (figure.contains(target)) target.toggleAttribute("data-lm-suppress-shortcuts", plain);
    },
    true,
  );
  const heard = new Set();
  const look = () => {
    const now = themeOf(figure.parentElement ?? document.body);
    if (figure.dataset.theme === now) return;
    figure.dataset.theme = now;
    for (const told of heard) told(now);
  };
  look();
  for (const each of [document.documentElement, document.body])
    new MutationObserver(look).observe(each, {attributes: true});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", look);
  await draw(figure, {
    read: async (name) => stored[name],
    get theme() {
      return figure.dataset.theme;
    },
    onTheme: (told) => heard.add(told),
    address: false, // it is the notebook's
  });
}
