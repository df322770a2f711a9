// A picture whose frames live in the browser.
// A slider's setting is looked up in `store`; only what is missing is asked of the kernel, one frame at a time,
// the wanted one first. Once the figure was touched and is in sight, the neighbours along the last moved control follow.
const RADIUS = 50, NEAR = 8;       // neighbours asked for, neighbours kept decoded (each way)
const REST = 200, LIMIT = 8e6;     // ms without a move before the lossless frame; bytes of compressed frames kept
const LOST = "No kernel: run this cell again to make the sliders live.";

async function render({ model, el }) {
  const specs = model.get("controls"), [width, height] = model.get("size");
  const controls = await Promise.all(specs.map((s) => model.widget_manager.get_model(s.id)));
  const ratio = Math.min(Math.max(window.devicePixelRatio || 1, 1), 3);
  const make = (tag, attributes) => {
    const node = el.appendChild(document.createElement(tag));
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  el.classList.add("pe-figure");
  const canvas = make("canvas", { role: "img", width: width * ratio, height: height * ratio, style: `width:${width}px` });
  const readout = make("div", { role: "status", class: "pe-readout" });
  const alarm = make("div", { role: "alert", class: "pe-readout pe-alarm", hidden: "" });
  const screen = canvas.getContext("2d");

  const store = new Map(), decoded = new Map(), failed = new Map();
  let stored = 0, asked = null, touched = false, seen = false, moving = false, rested = false, sharp = null, timer = 0;
  let along = 0, heading = 1;      // the control last moved, and which way
  let turn = 0, shown = 0;         // wishes to show a frame, and the last one met: frames decode in any order

  const round = (x) => Number(Number(x).toPrecision(10));
  const settings = () => specs.map((s, i) => round(controls[i].get(s.trait)));
  const keyOf = (values) => JSON.stringify(values);
  const missing = (values) => !store.has(keyOf(values)) && !failed.has(keyOf(values));
  let want = settings();

  function neighbour(n) {          // n steps along the control last moved, to where its slider would go: its grid and its ends
    const { low, high, step, log } = specs[along], [a, b, x] = [low, high, want[along]].map(log ? Math.log10 : Number);
    const to = x + n * step, on = to < b ? Math.min(Math.max(a, a + Math.round((to - a) / step) * step), b) : b;
    return want.map((value, i) => (i !== along ? value : round(log ? 10 ** on : on)));
  }

  function decode(key) {
    if (!decoded.has(key)) {
      const entry = { ready: createImageBitmap(store.get(key).blob).then((bitmap) => (entry.bitmap = bitmap)) };
      decoded.set(key, entry);
    }
    return decoded.get(key);
  }
  function paint(bitmap, text, key, quality) {
    screen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    canvas.setAttribute("aria-label", text);
    Object.assign(canvas.dataset, { key, quality });
    readout.textContent = text;
    readout.hidden = false; alarm.hidden = true;
  }
  function show(key) {             // at once if the frame is decoded, else as soon as it is
    const frame = store.get(key);
    if (!frame) return failed.has(key) && complain(failed.get(key));
    const { bitmap, ready } = decode(key), mine = ++turn;
    const put = (image) => {
      if (mine < shown || !(moving || key === keyOf(want))) return;
      shown = mine;
      paint(image, frame.text, key, "quick");
    };
    if (bitmap) put(bitmap); else ready.then(put);
    store.delete(key); store.set(key, frame);                      // most recently used last
  }
  function complain(text) {
    shown = ++turn;
    alarm.textContent = `The figure could not follow: ${text}. The picture shows the last good setting.`;
    readout.hidden = true; alarm.hidden = false;
  }
  function keepNear() {            // decoded frames: only those a held key reaches next
    const near = new Set([keyOf(want)]);
    for (let n = -NEAR; n <= NEAR; n++) near.add(keyOf(neighbour(n)));
    for (const [key, { bitmap }] of decoded) if (!near.has(key)) { decoded.delete(key); bitmap?.close(); }
    for (const key of near) if (store.has(key)) decode(key);
  }

  function next() {                // what to ask for now: the wanted frame, its lossless form, or a neighbour
    if (missing(want)) return { values: want, ratio: 1 };
    if (rested && seen && sharp !== keyOf(want) && !failed.has(keyOf(want))) return { values: want, ratio, sharp: true };
    if (!touched || !seen) return null;
    for (let n = 1; n <= RADIUS; n++)
      for (const values of [neighbour(n * heading), neighbour(-n * heading)])
        if (missing(values)) return { values, ratio: 1, ahead: true };
    return null;
  }
  function ask() {
    const spare = asked && (asked.ahead || asked.sharp) && keyOf(asked.values) !== keyOf(want);    // nobody waits for it
    if ((asked && !(spare && missing(want))) || !controls[0].comm_live) return;
    asked = next();
    if (asked) model.send({ key: keyOf(asked.values), ...asked });
  }
  function receive({ key, text, error, sharp: lossless }, buffers) {
    const mine = asked && key === keyOf(asked.values) && !!asked.sharp === !!lossless, ahead = mine && asked.ahead;
    if (mine) asked = null;
    if (error) failed.set(key, error);
    else {
      const blob = new Blob([buffers[0]]);
      if (lossless) { if (key === keyOf(want)) { sharp = key; createImageBitmap(blob).then((b) => rested && key === keyOf(want) && paint(b, text, key, "sharp")); } }
      else if (!store.has(key)) {
        store.set(key, { blob, text }); stored += blob.size;
        for (const [old, frame] of store) { if (stored <= LIMIT) break; store.delete(old); stored -= frame.blob.size; }
        Object.assign(canvas.dataset, { stored, frames: store.size });
      }
    }
    if (!lossless && (key === keyOf(want) || (moving && mine && !ahead && missing(want)))) show(key);
    keepNear();
    setTimeout(ask, ahead ? 10 : 0);                               // leave the kernel a gap for other messages
  }
  function move(i) {
    const values = settings();
    heading = values[i] < want[i] ? -1 : 1; along = i; want = values;
    touched = moving = true; rested = false; sharp = null;
    clearTimeout(timer); timer = setTimeout(rest, REST);
    show(keyOf(want)); keepNear(); ask();
    if (!controls[0].comm_live && missing(want)) readout.textContent = LOST;
  }
  function rest() { moving = false; rested = true; ask(); }
  const release = () => { moving = false; };                       // after it, only the wanted frame may appear

  const listeners = controls.map((c, i) => [c, `change:${specs[i].trait}`, () => move(i)]);
  for (const [c, event, listener] of listeners) c.on(event, listener);
  for (const event of ["keyup", "pointerup"]) document.addEventListener(event, release, true);
  model.on("msg:custom", receive);
  const watcher = new IntersectionObserver((entries) => { seen = entries.at(-1).isIntersecting; ask(); });
  watcher.observe(canvas);
  const first = await createImageBitmap(new Blob([model.get("first")]));
  paint(first, model.get("text"), keyOf(model.get("start").map(round)), "first");
  if (!controls[0].comm_live) readout.textContent += ` (${LOST})`;
  specs.forEach((s, i) => equip(controls[i], s.label));
  rest();
  return () => {
    for (const [c, event, listener] of listeners) c.off(event, listener);
    for (const event of ["keyup", "pointerup"]) document.removeEventListener(event, release, true);
    model.off("msg:custom", receive); watcher.disconnect(); clearTimeout(timer);
  };
}

// What ipywidgets leaves out: accessible names, a slider's value as its number box says it (a log slider told its exponent),
// and keys that stay with the control they are pressed on. (In a notebook's command mode an arrow on a dropdown would move
// to another cell, and a letter meant to pick an option would insert one.)
async function equip(control, label) {
  for (const view of await Promise.all(Object.values(control.views || {}))) {
    const handle = view.el.querySelector("[role=slider]"), box = view.el.querySelector(".widget-readout"), play = view.el.previousElementSibling;
    const set = (node, name, value) => node?.setAttribute(name, value);
    set(handle, "aria-label", label);
    set(box, "role", "textbox");
    set(box, "aria-label", `${label}, as a number`);
    const say = () => setTimeout(() => set(handle, "aria-valuetext", box?.textContent));
    view.listenTo(control, "change:value", say);
    say();
    if (play?.matches(".widget-play")) ["Play or pause", "Stop", "Repeat"].forEach((what, i) => set(play.children[i], "aria-label", `${what}: ${label}`));
    view.el.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !["Enter", "Escape"].includes(event.key)) event.stopPropagation();
    });
  }
}

export default { render };
