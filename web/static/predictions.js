/** What a reader predicts opens what was measured: see web/predictions.py. */

for (const asked of document.querySelectorAll("fieldset.prediction")) {
  const measured = document.getElementById(`measured-${asked.dataset.name}`);
  const found = measured.dataset.measured; // "b) about half", or a number
  const field = asked.querySelector("input");
  const buttons = [...asked.querySelectorAll("button")];

  const reveal = (predicted) => {
    const right = predicted === found;
    asked.querySelector(".reveals").textContent =
      `Measured: ${found}. ${right ? "Just as you predicted." : `You predicted ${predicted}.`}`;
    for (const each of field ? [] : buttons) {
      each.setAttribute("aria-pressed", String(each.textContent === predicted));
      each.classList.toggle("right", each.textContent === found);
    }
    measured.open = true;
  };

  for (const button of buttons)
    button.addEventListener("click", () => {
      if (!field) reveal(button.textContent);
      else if (field.value) reveal(String(field.valueAsNumber));
      else field.focus();
    });
}
