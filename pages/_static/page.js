// A page without a kernel: what sliders.js asks of ipywidgets, answered by native controls and the frames that the page holds.
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const pictureOf = (text) => createImageBitmap(new Blob([bytesOf(text)], { type: "image/webp" }));

async function liven(card) {
  const data = JSON.parse(card.querySelector("script").textContent), { controls: specs, states, frames } = data;
  const row = card.querySelector(".pe-controls"), held = card.querySelector(".pe-held"), listeners = specs.map(() => []);
  const byKey = new Map(states.map((state) => [JSON.stringify(state.at), state])), first = await pictureOf(data.first);
  const paper = new OffscreenCanvas(first.width, first.height), pen = paper.getContext("2d");
  let now = [...data.start], receive = null;

  // The nearest setting the page holds: this control as asked for, then as many of the others as can stay where they are.
  function set(i, x) {
    const size = (value) => (specs[i].log ? Math.log10(value) : value);
    const cost = ({ at }) => 1000 * Math.abs(size(at[i]) - size(x)) / specs[i].step + at.filter((value, j) => j !== i && value !== now[j]).length;
    const before = now;
    now = states.reduce((best, one) => (cost(one) < cost(best) ? one : best)).at;
    const moved = now.flatMap((value, j) => (value === before[j] ? [] : [j])), back = moved.filter((j) => j !== i);
    if (moved.length) held.textContent = back.length ? `This page holds one slider at a time: ${back.map((j) => `${specs[j].label} went back to ${says(j)}`).join(", ")}. In the notebook all move freely.` : "";
    reflect();
    for (const j of moved) for (const listener of listeners[j]) listener();
  }
  const says = (i) => (specs[i].kind === "slider" ? written(now[i], specs[i]) : specs[i].kind === "choice" ? specs[i].names[now[i]] : now[i] ? "on" : "off");
  function reflect() {
    inputs.forEach((input, i) => {
      if (specs[i].kind === "check") input.checked = Boolean(now[i]);
      else input.value = specs[i].kind === "choice" ? now[i] : specs[i].stops.indexOf(now[i]);
    });
  }
  const inputs = [], boxes = specs.map((spec, i) => {
    const box = row.appendChild(document.createElement("div")), input = document.createElement(spec.kind === "choice" ? "select" : "input");
    const label = Object.assign(document.createElement("label"), { htmlFor: `${card.id}-${i}`, textContent: spec.label });
    Object.assign(input, { id: `${card.id}-${i}` }, spec.kind === "slider" ? { type: "range", min: 0, max: spec.stops.length - 1, step: 1 } : spec.kind === "check" ? { type: "checkbox" } : {});
    if (spec.kind === "choice") spec.names.forEach((name, n) => input.add(new Option(name, n)));
    if (spec.kind === "slider") input.setAttribute("role", "slider");
    input.addEventListener("input", () => set(i, spec.kind === "check" ? Number(input.checked) : spec.kind === "choice" ? Number(input.value) : spec.stops[input.value]));
    box.className = "pe-control"; box.append(label, input); inputs.push(input);
    return box;
  });
  reflect();

  const models = specs.map((spec, i) => ({
    comm_live: true, save_changes() {}, get: () => now[i], set: (_, x) => set(i, x), off() {},
    on: (name, listener) => { if (name.startsWith("change:")) listeners[i].push(listener); },
    views: { one: Promise.resolve({ el: boxes[i], listenTo: (_, name, listener) => listeners[i].push(listener) }) },
  }));
  const model = {
    widget_manager: { get_model: async (i) => models[i] }, off() {}, on: (_, listener) => { receive = listener; },
    get: (name) => (name === "first" ? bytesOf(data.first) : name === "start" ? [...data.start] : data[name]), set() {},
    async send({ key, sharp }) {               // the first frame with what differs laid over it
      const state = byKey.get(key);
      if (!state) return setTimeout(() => receive({ key, sharp, error: "this setting is not on the page" }, []));
      const over = await pictureOf(frames[state.frame]);
      pen.globalCompositeOperation = "copy"; pen.drawImage(first, 0, 0);
      pen.globalCompositeOperation = "source-over"; pen.drawImage(over, 0, 0);
      const whole = await (await paper.convertToBlob({ type: "image/png" })).arrayBuffer();
      receive({ key, sharp, text: state.text }, [whole]);
    },
  };
  return render({ model, el: card.querySelector(".pe-view") });
}
for (const card of document.querySelectorAll(".pe-card")) liven(card);
