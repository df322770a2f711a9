// A picture whose frames live in the browser.
// A slider's setting is looked up in `store`; only what is missing is asked of the kernel, the wanted frame first. Once the
// figure was touched and is in sight, the neighbours along the last move follow.
const RADIUS = 50, NEAR = 8;       // neighbours asked for, neighbours kept decoded (each way)
const REST = 200, LIMIT = 16e6;    // ms without a move before the lossless frame; bytes of compressed frames kept
const SWEEP = 8000, BEAT = 40, SLOW = 250;     // Play: ms for the whole range; ms a picture at least, and at most
const PATIENCE = 800;              // ms a picture may take before a line says why it does not come
const FORGET = 4000;               // ms after which a request that an idle kernel has not answered is taken for lost
const BUSY = "The kernel is busy, perhaps with other cells. The picture follows as soon as it is free.";
const LOST = "No kernel: run this cell again to make the sliders live. The picture stays at the last setting that it has.";

async function render({ model, el }) {
  const specs = model.get("controls"), [width, height] = model.get("size");
  const controls = await Promise.all(specs.map((s) => model.widget_manager.get_model(s.id)));
  const make = (tag, attributes, parent = el) => {
    const node = parent.appendChild(document.createElement(tag));
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  el.classList.add("pe-figure");
  el.style.setProperty("--pe-width", `${width}px`); el.style.setProperty("--pe-shape", width / height);
  const frame = make("div", { class: "pe-picture" }, make("div", { class: "pe-scroll" }));
  const canvas = make("canvas", { role: "img" }, frame), screen = canvas.getContext("2d");
  const readout = make("div", { role: "status", class: "pe-readout" });
  const alarm = make("div", { role: "alert", class: "pe-readout pe-alarm", hidden: "" });
  const note = make("div", { role: "note", class: "pe-note", hidden: "" });

  const store = new Map();         // settings -> blob, text and, while near, bitmap; or the error there
  const asked = new Map();         // what is under way
  let stored = 0, seen = false, moving = false, rested = false, sharp = null, timer = 0, late = 0, waiting = 0;
  let heading = specs.map(() => 0), stride = 0;      // which way each control moved last: -1, 1 or not at all; steps a beat of Play
  let coarse = 1, fine = 1;        // pixels to a figure's own: of a quick frame (the page's pixels), of a lossless one (the screen's)
  let turn = 0, shown = 0;         // wishes to show a frame, and the last one met: frames decode in any order

  const round = (x) => Number(Number(x).toPrecision(10));
  const settings = () => specs.map((s, i) => round(controls[i].get(s.trait)));
  const keyOf = (values) => JSON.stringify(values);
  const missing = (values) => !store.has(keyOf(values));
  const live = () => controls[0].comm_live;
  let want = settings();

  function stop(i, x) {            // where control i's slider would stop next to x: its grid and its ends
    const { low, high, step, log } = specs[i], [a, b, to] = [low, high, Math.max(low, x)].map(log ? Math.log10 : Number);
    const on = to < b ? Math.min(a + Math.round((to - a) / step) * step, b) : b;
    return round(log ? 10 ** on : on);
  }
  function neighbour(n) {          // n moves on
    return want.map((x, i) => {
      const far = n * heading[i] * (stride || 1) * specs[i].step;
      return far ? stop(i, specs[i].log ? x * 10 ** far : x + far) : x;
    });
  }

  function decode(frame) {
    if (frame.blob) frame.ready ??= createImageBitmap(frame.blob).then((bitmap) => (frame.bitmap = bitmap));
  }
  function paint(bitmap, text, key, quality) {
    if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) Object.assign(canvas, { width: bitmap.width, height: bitmap.height });
    screen.drawImage(bitmap, 0, 0);
    canvas.setAttribute("aria-label", `${model.get("drawn")} ${text}`.trim());
    Object.assign(canvas.dataset, { key, quality });
    if (text !== readout.textContent) tell(text);
    readout.hidden = false; alarm.hidden = true;
  }
  function tell(text) {            // the numbers that changed stand out for a moment
    const cut = (sentence) => sentence.split(/([-\u2212]?\d+(?:,\d{3})*(?:\.\d+)?)/), old = cut(readout.textContent), parts = cut(text);
    readout.replaceChildren(...parts.map((part, i) => {
      if (i % 2 === 0 || old.length !== parts.length || part === old[i]) return part;
      return Object.assign(document.createElement("mark"), { textContent: part });
    }));
  }
  function show(key) {             // at once if the frame is decoded, else as soon as it is
    const frame = store.get(key);
    if (!frame || frame.error) return frame && complain(frame.error);
    const mine = ++turn, put = () => {
      if (mine < shown || !frame.bitmap || !(moving || key === keyOf(want))) return;
      shown = mine;
      paint(frame.bitmap, frame.text, key, "quick");
    };
    decode(frame);
    if (frame.bitmap) put(); else frame.ready.then(put);
    store.delete(key); store.set(key, frame);                      // most recently used last
  }
  function complain(text) {
    shown = ++turn;
    alarm.textContent = `The figure could not follow: ${text}. The picture shows the last good setting.`;
    readout.hidden = true; alarm.hidden = false;
  }
  function free(frame) { frame.bitmap?.close(); frame.bitmap = frame.ready = null; }
  function keepNear() {            // decoded frames: only those a held key reaches next
    const near = new Set([keyOf(want)]);
    for (let n = -NEAR; n <= NEAR; n++) near.add(keyOf(neighbour(n)));
    for (const [key, frame] of store) if (near.has(key)) decode(frame); else if (frame.bitmap) free(frame);
  }
  function keep(key, frame) {
    store.set(key, frame); stored += frame.blob?.size ?? 0;
    for (const [old, one] of store) { if (stored <= LIMIT) break; store.delete(old); stored -= one.blob?.size ?? 0; free(one); }
    Object.assign(canvas.dataset, { stored, frames: store.size });
  }

  const nameOf = ({ values, sharp }) => keyOf(values) + (sharp ? " sharp" : "");
  function next() {                // what to ask for now: the wanted frame, its lossless form, or a neighbour
    const open = (values) => missing(values) && !asked.has(nameOf({ values }));
    if (open(want)) return { values: want, ratio: coarse };
    if (missing(want) && !stride) return null;
    if (rested && seen && sharp !== keyOf(want) && !store.get(keyOf(want)).error) return { values: want, ratio: fine, sharp: true };
    for (let n = 1; seen && n <= RADIUS; n++)
      for (const values of stride ? [neighbour(n)] : [neighbour(n), neighbour(-n)])
        if (open(values)) return { values, ratio: coarse, ahead: true };
    return null;
  }
  function ask() {
    const spare = [...asked.values()].every((one) => (one.ahead || one.sharp) && keyOf(one.values) !== keyOf(want));    // nobody waits for them
    if (spare && missing(want) && !stride) asked.clear();
    const request = live() && asked.size < (stride ? 2 : 1) && next();                   // Play keeps the kernel busy
    if (!request) return;
    asked.set(nameOf(request), request);
    model.send({ key: keyOf(request.values), ...request });
    clearTimeout(waiting); waiting = setTimeout(again, FORGET);
    if (stride) ask();
  }
  function again() {               // a kernel may drop a request, as Pyodide's does when a cell before it fails: it is free and owes an answer
    if (!asked.size || gone.signal.aborted) return;
    if (model.widget_manager.kernel?.status === "idle") { asked.clear(); ask(); }
    else waiting = setTimeout(again, FORGET);
  }
  function receive({ key, text, error, sharp: lossless }, buffers) {
    const name = key + (lossless ? " sharp" : ""), request = asked.get(name), ahead = request?.ahead;
    asked.delete(name);
    const blob = new Blob(buffers.slice(0, 1));
    if (lossless && key === keyOf(want)) {
      sharp = key;
      if (!error) { settle(blob, text, key); model.set({ first: buffers[0], text, start: want }); }     // what a saved notebook shows
    } else if (!lossless && missing(JSON.parse(key))) keep(key, error ? { error } : { blob, text });
    if (!lossless && (key === keyOf(want) || (moving && request && (stride || !ahead) && missing(want)))) show(key);
    keepNear(); notice();
    setTimeout(ask, ahead && !stride ? 10 : 0);                    // leave the kernel a gap for other messages
  }
  async function settle(blob, text, key) {
    const bitmap = await createImageBitmap(blob);
    if (rested && key === keyOf(want)) paint(bitmap, text, key, "sharp");
  }
  function move() {                // a drag may set two controls: they move as one
    const values = settings();
    if (keyOf(values) === keyOf(want)) return;
    heading = values.map((x, i) => Math.sign(x - want[i])); want = values;
    moving = true; rested = false; sharp = null;
    clearTimeout(timer); timer = setTimeout(rest, REST);
    show(keyOf(want)); keepNear(); notice(); ask();
  }
  function rest() { moving = false; rested = true; ask(); }

  function save(i) { controls[i].save_changes(); }                 // tells Python
  function go(i, x) { controls[i].set(specs[i].trait, stop(i, x)); save(i); }
  function focus(i) { eachView(i, ({ el }) => el.querySelector("[role=slider], select, input")?.focus({ preventScroll: true })); }
  function eachView(i, use) {      // the control's views beside this picture
    for (const view of Object.values(controls[i].views ?? {}))
      view.then((made) => el.closest(".pe-card")?.contains(made.el) && use(made));
  }

  function play(i, button) {       // or pause: the whole range in SWEEP ms, a stride a beat, till another hand moves the control
    if (stride) { stride = 0; return; }
    const { low, high, step, log, trait, label } = specs[i], steps = Math.ceil((log ? Math.log10(high / low) : high - low) / step - 1e-6);
    const far = Math.ceil(steps * BEAT / SWEEP), beat = Math.min(SWEEP * far / steps, SLOW);
    const at = (n) => stop(i, log ? low * 10 ** (n * far * step) : low + n * far * step);
    const done = want[i] === high ? 0 : Math.round((log ? Math.log10(want[i] / low) : want[i] - low) / step) / far;
    const begun = performance.now() - beat * Math.floor(done);
    stride = far; face(button, label, true);
    const tick = (here) => {       // here: where the last tick left the control
      if (stride && !gone.signal.aborted && here !== high && (here === undefined || here === round(controls[i].get(trait)))) {
        const to = at(Math.floor((performance.now() - begun) / beat));
        controls[i].set(trait, to);
        requestAnimationFrame(() => tick(to));
      } else { stride = 0; face(button, label, false); save(i); }
    };
    tick();
  }

  function measure() {             // whole pixels, so that none is blurred
    const pixels = (dense) => Math.min(Math.max(Math.round(frame.clientWidth * dense) / width, 1), 3);
    if (!frame.clientWidth || (coarse === pixels(1) && fine === pixels(devicePixelRatio))) return;
    [coarse, fine, sharp] = [pixels(1), pixels(devicePixelRatio), null];
    el.style.removeProperty("--pe-lines");
    clearTimeout(timer); timer = setTimeout(rest, REST);
  }
  function notice() {              // why no picture comes
    const say = (text) => { note.textContent = text; note.hidden = !text; };
    clearTimeout(late);
    if (!live()) say(LOST);
    else if (!missing(want) || canvas.dataset.key === keyOf(want)) say("");
    else late = setTimeout(() => say(BUSY), PATIENCE);
  }
  function link() {                // a kernel is there, or it is gone
    asked.clear(); notice();
    if (live()) ask();
  }

  function unplug() { for (const one of controls) one.comm_live = false; }         // a message to a kernel shut down is an error
  const gone = new AbortController(), release = () => { moving = false; };         // after it, only the wanted frame may appear
  const first = await createImageBitmap(new Blob([model.get("first")]));
  if (!live()) controls.forEach((control, i) => control.set(specs[i].trait, model.get("start")[i]));    // of a saved notebook
  want = settings();
  controls.forEach((control, i) => control.on(`change:${specs[i].trait}`, () => queueMicrotask(move), gone));
  controls[0].on("comm_live_update", link, gone);
  model.widget_manager.kernel?.disposed?.connect(unplug);
  for (const event of ["keyup", "pointerup", "pointercancel"]) document.addEventListener(event, release, { capture: true, signal: gone.signal });
  addEventListener("resize", measure, { signal: gone.signal });    // zooming may change the pixels alone
  model.on("msg:custom", receive);
  const watcher = new IntersectionObserver((entries) => { seen = entries.at(-1).isIntersecting; ask(); });
  const ruler = new ResizeObserver(measure), tallest = new ResizeObserver(() => {      // the page below must not jump
    const lines = readout.getBoundingClientRect().height;
    if (lines) el.style.setProperty("--pe-lines", `${Math.ceil(lines - 0.1)}px`);
  });
  watcher.observe(canvas); ruler.observe(frame); tallest.observe(readout);
  paint(first, model.get("text"), keyOf(model.get("start").map(round)), "first");
  layPads(model.get("touch"), { frame, specs, controls, want: () => want, stop, go, focus });
  specs.forEach((spec, i) => eachView(i, (view) => equip(view, { control: controls[i], spec, go: (x) => go(i, x), play: (button) => play(i, button) })));
  link(); measure(); rest();
  return () => {
    for (const control of controls) control.off(null, null, gone);
    model.widget_manager.kernel?.disposed?.disconnect(unplug);
    gone.abort(); model.off("msg:custom", receive); clearTimeout(timer); clearTimeout(late); clearTimeout(waiting);
    for (const observer of [watcher, ruler, tallest]) observer.disconnect();
  };
}
