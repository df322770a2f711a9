// A question in the browser: a group of radio buttons named by the question, a button, and a line of feedback.
// The texts are HTML made and escaped by quiz.py. Moving through the options reveals nothing; the button does.
// data-lm-suppress-shortcuts: in JupyterLab the arrow keys then move through the options, not through the cells.

export default {
  render({ model, el }) {
    const predict = model.get("kind") === "predict";
    const group = document.createElement("fieldset");
    group.className = "pe-quiz";
    group.innerHTML = `<legend>${model.get("question")}</legend>`;
    const name = `pe-quiz-${Math.random()}`;      // one group a question; each question loads its own copy of this file
    const radios = model.get("options").map((option) => {
      const label = document.createElement("label");
      label.innerHTML = `<input type="radio" name="${name}" data-lm-suppress-shortcuts><span>${option}</span>`;
      group.append(label);
      return label.firstChild;
    });
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = predict ? "Commit" : "Check";
    const line = document.createElement("p");
    line.setAttribute("role", "status");          // read out politely when it changes
    group.append(button, line);
    el.append(group);

    const say = () => {
      const choice = model.get("choice");
      if (choice == null) return;                 // null; in a browser's own kernel (JupyterLite) undefined
      radios[choice].checked = true;
      const verdict = predict ? "made" : choice === model.get("right") ? "right" : "wrong";
      const mark = `<b class="pe-mark" aria-hidden="true">${{ made: "•", right: "✓", wrong: "✗" }[verdict]}</b>`;
      group.querySelectorAll("label .pe-mark").forEach((old) => old.remove());
      radios.forEach((radio) => radio.parentNode.classList.remove("pe-right", "pe-wrong", "pe-made"));
      radios[choice].parentNode.classList.add(`pe-${verdict}`);
      radios[choice].insertAdjacentHTML("afterend", mark);
      line.className = `pe-${verdict}`;
      line.innerHTML = (predict ? `You predicted “${model.get("options")[choice]}”. ` : verdict === "right"
        ? `${mark} <b>Right.</b> ` : `${mark} <b>Not yet.</b> `) + model.get("feedback")[choice];
      if (predict) {                              // a prediction is made once
        radios.forEach((radio) => { radio.disabled = !radio.checked; });
        button.setAttribute("aria-disabled", "true");
        button.textContent = "Committed";
      }
    };
    button.addEventListener("click", () => {
      const choice = radios.findIndex((radio) => radio.checked);
      if (predict && model.get("choice") != null) return;
      if (choice < 0) { line.textContent = "Choose one of the options first."; return; }
      if (choice === model.get("choice")) say();
      model.set("choice", choice);
      model.save_changes();
    });
    model.on("change:choice", say);
    say();
    return () => model.off("change:choice", say);
  },
};
