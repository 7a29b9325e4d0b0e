for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const key = (row) => row.cells[column].dataset.key ?? row.cells[column].textContent.trim();
    const number = head.classList.contains("n");
    const compare = (a, b) => number
      ? (parseFloat(key(a)) || 0) - (parseFloat(key(b)) || 0)
      : key(a).localeCompare(key(b));
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows].sort(compare);
      table.tBodies[0].append(...(up ? rows : rows.reverse()));
    });
  });
}
