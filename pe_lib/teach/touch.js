// Axes that are controls (touch.py). Over each lies a pad that takes the pointer and sets what the nearest of its handles names.
const SLOP = 8;                    // pixels a finger goes sideways before it drags: till then it may be about to scroll the page

// pads: what touch.py said; frame: what they lie in; want: the settings now; stop(i, x): where control i stops next to x; go(i, x)
// moves it there.
function layPads(pads, { frame, specs, controls, want, stop, go, focus }) {
  for (const { inset, kind, x, y, handles } of pads) {
    const pad = frame.appendChild(document.createElement("div"));
    pad.className = `pe-pad pe-pad-${kind}`;
    pad.style.inset = inset;
    pad.setAttribute("aria-hidden", "true");                       // the sliders do all it does
    let held = null;               // the pointer that is down: its id, where it went down, its handle, the settings before, if it drags

    const limits = { x, y };
    const data = (share, [low, high, log]) => (log ? low * (high / low) ** share : low + (high - low) * share);
    const share = (value, [low, high, log]) => (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
    function place({ clientX, clientY }) {                         // of the pointer, in the axes' own coordinates
      const { left, bottom, width, height } = pad.getBoundingClientRect();
      const at = { x: x && data((clientX - left) / width, x), y: y && data((bottom - clientY) / height, y) };
      return { ...at, angle: Math.atan2(at.y, at.x), radius: Math.hypot(at.x, at.y) };
    }
    function aim(handle, at) {     // how far the handle is from there, and what its controls should be to stand there
      const values = want(), wishes = handle.map((part) => {
        const { control, start, of, plus } = part, per = part.per[of === null ? 0 : values[of]];
        const here = start + per * (values[control] + (plus === null ? 0 : values[plus])), on = limits[part.at];
        let off = at[part.at] - here;
        if (part.at === "angle") off -= 2 * Math.PI * Math.round(off / (2 * Math.PI));
        const far = on ? share(at[part.at], on) - share(here, on) : off;                  // as the eye sees it
        return { control, far, value: stop(control, values[control] + off / per) };
      });
      return { handle, wishes, far: Math.hypot(...wishes.map(({ far }) => far)) };
    }
    function nearest(at) {
      return handles.map((handle) => aim(handle, at)).reduce((best, one) => (one.far < best.far ? one : best));
    }
    function set(wishes) {
      for (const { control, value } of wishes) controls[control].set(specs[control].trait, value);
    }
    function follow(event) {
      const went = [event.clientX - held.from[0], event.clientY - held.from[1]].map(Math.abs);
      held.still &&= Math.max(...went) < SLOP;
      held.drags ||= went[0] >= SLOP && went[0] > went[1];
      if (held.drags) set(aim(held.handle, place(event)).wishes);
    }

    function upAndDown(handle) {   // in a map of two controls, up and down are the vertical one's for as long as the focus stays
      const vertical = handle.find((part) => part.at === "y");
      if (handle.length < 2 || !vertical) return;
      const on = frame.closest(".pe-card"), over = new AbortController(), { control } = vertical, { step, log } = specs[control];
      const upward = Math.sign(y[1] - y[0]);
      on.addEventListener("keydown", (event) => {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        event.preventDefault(); event.stopPropagation();
        const way = event.key === "ArrowUp" ? upward : -upward, value = want()[control];
        go(control, log ? value * 10 ** (way * step) : value + way * step);
      }, { capture: true, signal: over.signal });
      on.addEventListener("focusout", () => over.abort(), { once: true });
    }

    pad.onpointermove = (event) => {
      if (!held) pad.dataset.hint = nearest(place(event)).wishes.map(({ control }) => specs[control].label).join(", ");
      else if (event.pointerId === held.id) follow(event);
    };
    pad.onpointerdown = (event) => {
      if (held || event.button || !event.isPrimary) return;        // a second finger does not count
      event.preventDefault();                                      // no mouse events: a notebook has its own use for them
      pad.setPointerCapture(event.pointerId);
      const { handle } = nearest(place(event));
      held = { id: event.pointerId, from: [event.clientX, event.clientY], handle, before: want(), still: true, drags: event.pointerType !== "touch" };
      follow(event);
    };
    pad.onpointerup = (event) => {
      if (event.pointerId !== held?.id) return;
      held.drags ||= held.still;                                   // a tap
      follow(event);
      if (held.drags) { focus(held.handle[0].control); upAndDown(held.handle); }         // the arrow keys go on from here
    };
    pad.onpointercancel = (event) => {                             // the browser took the finger: it scrolls
      if (event.pointerId === held?.id) set(held.handle.map(({ control }) => ({ control, value: held.before[control] })));
    };
    pad.onlostpointercapture = (event) => {                        // after up and cancel alike: Python hears of it once
      if (event.pointerId !== held?.id) return;
      for (const { control } of held.handle) controls[control].save_changes();
      held = null;
    };
  }
}
