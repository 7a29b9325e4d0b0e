/** Draws each figure of the page as it comes near, by the module that its `data-module` names.
 *
 * Beside this file lie the modules, figures.css and `data/`, which
 * `python -m helpers.explorable.data` fills. Where scripts are off, what is `.fallback` stays.
 */

const root = document.documentElement;
const heard = new Set();
const theme = () => (root.dataset.theme === "dark" ? "dark" : "light");
const options = {
  read: async (name) => (await fetch(new URL(`data/${name}.json`, import.meta.url))).json(),
  get theme() {
    return theme();
  },
  onTheme: (told) => heard.add(told),
  address: true,
};

new MutationObserver(() => heard.forEach((told) => told(theme())))
  .observe(root, {attributes: true, attributeFilter: ["data-theme"]});

const styled = new Promise((done) => {
  const href = new URL("figures.css", import.meta.url).href;
  const link = Object.assign(document.createElement("link"), {rel: "stylesheet", href});
  link.onload = link.onerror = done;
  document.head.append(link);
});

async function draw(figure) {
  await styled; // else a picture would be measured before it has its size
  try {
    const module = await import(`./${figure.dataset.module}.js`);
    await module.default(figure, options);
  } catch (error) {
    const told = Object.assign(document.createElement("p"), {className: "failed"});
    told.setAttribute("role", "alert");
    told.textContent = `This figure could not be loaded: ${error.message}. Load the page again.`;
    figure.append(told); // the words that are there stay
    throw error;
  }
}

const near = new IntersectionObserver(
  (seen) => {
    for (const {target} of seen.filter((each) => each.isIntersecting)) {
      near.unobserve(target);
      draw(target);
    }
  },
  {rootMargin: "400px"},
);

const figures = [...document.querySelectorAll("figure.explorable[data-module]")];
figures.forEach((figure) => near.observe(figure));
// An address that somebody sent leads to the figure that it speaks of, also in a fold.
const meant = figures.find((figure) => location.hash.startsWith(`#${figure.dataset.module}:`));
meant?.closest("details")?.setAttribute("open", "");
meant?.scrollIntoView({block: "center"});
