/** Draws figures in a page of the site, as notebook.js does in a notebook.
 *
 * No module is imported and nothing is fetched: a browser refuses both where the page was opened as
 * a file. `helpers.explorable` puts a figure, what it imports and its numbers into one script.
 */

const root = document.documentElement;
const folder = new URL(".", document.currentScript.src); // where the script of the figure lies
const heard = new Set();
const theme = () => (root.dataset.theme === "dark" ? "dark" : "light");

new MutationObserver(() => heard.forEach((told) => told(theme()))).observe(root, {
  attributes: true,
  attributeFilter: ["data-theme"],
});

/** Draw the figure of this name as it comes near; `stored` has the numbers that it reads. */
export function begin(name, draw, stored) {
  const figure = document.querySelector(`figure.explorable[data-module="${name}"]`);
  new IntersectionObserver(
    (seen, near) => {
      if (!seen.some((each) => each.isIntersecting)) return;
      near.disconnect();
      one(figure, draw, stored);
    },
    {rootMargin: "400px"},
  ).observe(figure);
  // An address that somebody sent leads to the figure that it speaks of, also in a fold.
  if (!location.hash.startsWith(`#${name}:`)) return;
  figure.closest("details")?.setAttribute("open", "");
  figure.scrollIntoView({block: "center"});
}

async function one(figure, draw, stored) {
  try {
    await draw(figure, {
      folder,
      read: async (name) => stored[name],
      get theme() {
        return theme();
      },
      onTheme: (told) => heard.add(told),
      address: true,
    });
  } catch (error) {
    const told = Object.assign(document.createElement("p"), {className: "failed"});
    told.setAttribute("role", "alert");
    told.textContent = `This figure could not be loaded: ${error.message}`;
    figure.append(told); // the words that are there stay
    throw error;
  }
}
