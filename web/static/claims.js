/** The claims of one verdict, or all of them; an address with #claim-4 opens that one. */

const claims = [...document.querySelectorAll("details.claim")];
const filters = document.querySelector(".filters");
const told = filters.nextElementSibling;
const all = told.textContent;

filters.addEventListener("click", ({target}) => {
  const chosen = target.closest("button");
  if (!chosen) return;
  const only = chosen.getAttribute("aria-pressed") === "true" ? "" : chosen.value;
  for (const each of filters.children)
    each.setAttribute("aria-pressed", String(each.value === only));
  for (const each of claims) each.hidden = only !== "" && each.dataset.verdict !== only;
  const count = claims.filter((each) => !each.hidden).length;
  told.textContent = only ? `${count} of ${claims.length} claims: ${only}.` : all;
});

const open = () => {
  const named = document.getElementById(location.hash.slice(1));
  if (claims.includes(named)) named.open = true;
};
addEventListener("hashchange", open);
open();
