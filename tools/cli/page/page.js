// The page of `tilewise report`. It holds the report (what `tilewise report --json` prints, compressed) and draws from it, on
// demand. Offsets are computed here, from each pattern's equation; the tests compare them with `tilewise layout`.
"use strict";
let report = null;
async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), c => c.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).text());
}

// ---- Text. Names come from drivers and files: they reach the page here alone, as text, with what is not seen spelled out.
const visible = text => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, c =>
  c === "\n" || c === "\t" ? c : `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);

const svgTags = new Set(["svg", "g", "rect", "line", "path", "circle", "text", "title"]);
function make(tag, attributes, ...children) {
  const node = svgTags.has(tag) && tag !== "title" || attributes?.svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else if (name !== "svg" && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== undefined && child !== null && child !== false)
      node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  return node;
}
const tip = text => make("title", { svg: true }, text);
const number = value => value.toLocaleString("en-US").replace(/,/g, "\u202f");
const bytesText = b => b < 1024 ? `${b} B` : b < 1 << 20 ? `${+(b / 1024).toPrecision(3)} KiB` : `${+(b / (1 << 20)).toPrecision(3)} MiB`;
const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
const extentText = e => e[2] > 1 ? e.join("x") : `${e[0]}x${e[1]}`;
/// Names such as R8G8B8A8_UNORM break at their underscores, where there is no room.
const breakable = text => text.split(/(?<=_)/).flatMap((part, i) => i ? [make("wbr"), part] : [part]);
const some = (list, n) => list.length > n ? `${list.slice(0, n).join(", ")} +${list.length - n}` : list.join(", ");

// ---- The field's words, explained where they are hovered, tapped or focused.
const terms = {
  GOB: "Group of bytes: a block of 512 bytes, 64 bytes from each of 8 rows; NVIDIA's GPUs build their tiles from such blocks.",
  tile: "The smallest block of texels in which one equation gives the place in memory, and which repeats over the image.",
  pattern: "A tile with its equation, without an image's size. Devices and formats share patterns.",
  remap: "Which texel of its workgroup each invocation takes.",
  subgroup: "Invocations that run in one instruction; NVIDIA calls it a warp, AMD a wave.",
  "memory order": "Invocations take texels in the order in which they lie in memory.",
  "Morton order": "The bits of x and y alternate: squares of 2x2 in squares of 4x4, and so on.",
  "row order": "Invocations take texels row by row, as gl_LocalInvocationID counts.",
  levels: "An image with mip levels: each is half as wide and high as the one before.",
  layers: "An array image: several images of one size in one memory.",
  sparse: "An image whose memory is bound piece by piece.",
  disjoint: "An image of several planes, each in memory of its own.",
  cube: "An image of six layers that can be read as a cube.",
  radius: "How many texels beyond its own a kernel reads, each way.",
  floor: "The time to move the image's bytes once, in and out, at the memory's measured speed.",
};
const termsInText = new RegExp(`\\b(${Object.keys(terms).sort((a, b) => b.length - a.length).join("|")})(?=s?\\b)`, "i");
const termNamed = new Map(Object.keys(terms).map(name => [name.toLowerCase(), name]));
/// The text; each word of the field is explained where it comes first, on hover alone where it stands in a button.
function explained(text, inButton) {
  const seen = new Set(), nodes = [];
  for (let rest = visible(text); rest;) {
    const match = termsInText.exec(rest), name = match && termNamed.get(match[1].toLowerCase());
    if (!match) { nodes.push(rest); break; }
    nodes.push(rest.slice(0, match.index), seen.has(name) ? match[1] : make("abbr", { tabindex: inButton ? undefined : 0, "data-term": name }, match[1]));
    seen.add(name);
    rest = rest.slice(match.index + match[1].length);
  }
  return nodes;
}
const tipBox = document.getElementById("tip");
function showTip(event) {
  const word = event.target.closest?.("[data-term]");
  tipBox.hidden = !word;
  if (!word) return;
  tipBox.replaceChildren(terms[word.dataset.term]);
  const at = word.getBoundingClientRect(), room = document.documentElement.clientWidth;
  tipBox.style.left = `${Math.max(8, Math.min(at.left, room - tipBox.offsetWidth - 8))}px`;
  tipBox.style.top = `${at.bottom + 6 + tipBox.offsetHeight > window.innerHeight ? at.top - 6 - tipBox.offsetHeight : at.bottom + 6}px`;
}
for (const name of ["mouseover", "focusin", "click"]) document.addEventListener(name, showTip);
document.addEventListener("focusout", () => { tipBox.hidden = true; });

// ---- The address model: docs/address-model.md.
const axes = ["x", "y", "z", "s"];
const xor = (a, b) => a < 2 ** 31 && b < 2 ** 31 ? a ^ b : Number(BigInt(a) ^ BigInt(b));

/// Rows such as {"3": "x1^y0"} as columns: what each bit of each coordinate adds by XOR.
function columnsOf(rows, prefix) {
  const columns = [[], [], [], []];
  for (const [bit, row] of Object.entries(rows)) {
    if (row === "0") continue;
    for (const term of row.split("^")) {
      const name = term.slice(prefix.length), axis = axes.indexOf(name[0]), from = Number(name.slice(1));
      columns[axis][from] = xor(columns[axis][from] ?? 0, 2 ** Number(bit));
    }
  }
  return columns;
}
function applied(columns, value) {
  let sum = 0;
  for (let bit = 0; value >= 1 && bit < columns.length; bit++, value = Math.floor(value / 2))
    if (value % 2 >= 1 && columns[bit]) sum = xor(sum, columns[bit]);
  return sum;
}

/// A layout as `layout --json` has it, ready to compute with.
function modelOf(layout) {
  const { element, tile, stride } = layout;
  const isPower = (element.bytes & (element.bytes - 1)) === 0;
  return {
    layout, element, tile: [tile.width, tile.height, tile.depth, tile.samples ?? 1], tileBytes: tile.bytes,
    unit: isPower ? 1 : element.bytes, E: columnsOf(layout.equation, ""), G: columnsOf(layout.outer_xor, "t"),
    F: columnsOf(stride.xor, "t"), stride: [stride.x, stride.y, stride.z, stride.s ?? 0],
    constant: layout.constant, base: layout.base,
  };
}
function swapped(model, shift, index) {
  if (index === 0) return shift;
  return xor(Math.floor(shift / model.tileBytes), index) * model.tileBytes;
}
function offsetOf(model, at) {
  let shift = 0, inner = model.constant, index = 0;
  for (let a = 0; a < 4; a++) {
    const t = Math.floor(at[a] / model.tile[a]);
    shift += t * model.stride[a];
    inner = xor(inner, xor(applied(model.E[a], at[a] % model.tile[a]), applied(model.G[a], t)));
    index = xor(index, applied(model.F[a], t));
  }
  return model.base + swapped(model, shift, index) + inner * model.unit;
}

/// E's inverse on what it reaches: the coordinate bits whose columns give that place in the tile; null where none do.
function withinTile(model, place) {
  model.pivots ??= (() => {
    const pivots = [];
    for (let a = 0; a < 4; a++)
      for (let bit = 0; 2 ** bit < model.tile[a]; bit++) {
        let value = BigInt(model.E[a][bit] ?? 0), from = [[a, bit]];
        for (const p of pivots) if (value >> p.top & 1n) { value ^= p.value; from = from.concat(p.from); }
        if (value) pivots.push({ value, from, top: BigInt(value.toString(2).length - 1) });
      }
    return pivots;
  })();
  const at = [0, 0, 0, 0];
  let left = BigInt(place);
  for (const p of [...model.pivots].sort((p, q) => Number(q.top - p.top)))
    if (left >> p.top & 1n) {
      left ^= p.value;
      for (const [a, bit] of p.from) at[a] ^= 1 << bit;
    }
  return left === 0n ? at : null;
}

/// The element of that extent (elements) whose bytes include the offset; null for padding.
function elementOf(model, extent, offset) {
  const tiles = extent.map((n, a) => Math.ceil(n / model.tile[a]));
  const inTile = (t, shift) => {
    const rest = offset - model.base - shift;
    if (rest < 0) return null;
    let place = Math.floor(rest / model.element.bytes) * model.element.bytes / model.unit;
    place = xor(place, model.constant);
    for (let a = 0; a < 4; a++) place = xor(place, applied(model.G[a], t[a]));
    const l = withinTile(model, place);
    const at = l?.map((v, a) => t[a] * model.tile[a] + v);
    return at && at.every((v, a) => v < extent[a]) && Math.floor((offset - offsetOf(model, at)) / model.element.bytes) === 0
      ? at : null;
  };
  if (model.F.every(columns => columns.length === 0)) {
    const t = [0, 0, 0, 0];
    let rest = offset - model.base;
    if (rest < 0) return null;
    for (const a of [0, 1, 2, 3].filter(a => model.stride[a] > 0).sort((a, b) => model.stride[b] - model.stride[a])) {
      t[a] = Math.min(Math.floor(rest / model.stride[a]), tiles[a] - 1);
      rest -= t[a] * model.stride[a];
    }
    return inTile(t, t.reduce((sum, v, a) => sum + v * model.stride[a], 0));
  }
  for (let y = 0; y < tiles[1]; y++)
    for (let x = 0; x < tiles[0]; x++) {
      const index = xor(applied(model.F[0], x), applied(model.F[1], y));
      const shift = swapped(model, x * model.stride[0] + y * model.stride[1], index);
      const rest = offset - model.base - shift;
      if (rest < 0 || rest >= model.tileBytes) continue;
      const at = inTile([x, y, 0, 0], shift);
      if (at) return at;
    }
  return null;
}

// ---- What the report says.
let patternNamed;
const shortId = index => report.patterns[index].id.slice(0, 8);
/// The rest of a subresource's layout is its pattern's.
function layoutOfPart(part, layer) {
  const layout = report.patterns[part.pattern].layout;
  const [x, y, z, s] = part.stride;
  return { ...layout, element: part.element ?? layout.element, stride: { x, y, z, s, xor: layout.stride.xor },
           constant: part.constant, base: part.base + (layer - part.layer) * part.layer_stride };
}
function extentOfPart(image, part) {
  const element = part.element ?? report.patterns[part.pattern].layout.element;
  return [Math.ceil(part.extent[0] / element.width), Math.ceil(part.extent[1] / element.height), part.extent[2], image.samples];
}
const deviceTitle = d => d.device.name;
/// Tables and texts have no driver.
const driverOf = d => /^(.* )?unknown$/.test(d.driver) ? d.provenance.join(", ") : d.driver;
const deviceLine = d => [d.chip && !d.device.name.includes(d.chip) ? d.chip : "", d.architecture, driverOf(d)].filter(Boolean).join(" · ");
const provenanceClass = cell => cell.provenance.includes("hardware") ? "hardware"
  : cell.provenance.includes("driver without hardware") ? "driver"
  : cell.provenance.length ? "published" : "rule";

// ---- Pictures.
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const overlays = [["none", 0], ["32 B sector", 32], ["64 B", 64], ["128 B cache line", 128], ["512 B GOB", 512], ["4 KiB", 4096], ["tile", -1]];

/// A part of an image, each element coloured by its place in memory. `extent`: elements; `state` is kept by the caller, so that a
/// picture drawn anew shows what was looked at.
function picture(model, extent, { remap, scale = [1, 1], label, size = 32 } = {}) {
  const side = Math.min(128, Math.max(8, model.tile[0] === 1 ? 16 : model.tile[0], model.tile[1] === 1 ? 8 : model.tile[1]));
  const state = { x: 0, y: 0, z: 0, s: 0, size: Math.min(side, size), path: true, overlay: 64, lanes: false, cursor: [0, 0] };
  const canvas = make("canvas", { class: "tile", tabindex: 0, role: "img", "data-picture": label ?? "" ,
    "aria-label": "Elements coloured by their place in memory. Arrow keys move; the byte offset is read out below." });
  const strip = make("canvas", { class: "strip", tabindex: 0, role: "img",
    "aria-label": "The same elements in the order of memory. Left and right move from byte to byte." });
  const read = make("p", { class: "read mono", role: "status", "data-read": "" });
  const bits = make("div", { class: "wide" });
  let cells = [], order = [], width = 0, height = 0, unit = 1;

  function compute() {
    width = Math.min(state.size, extent[0] - state.x), height = Math.min(state.size, extent[1] - state.y);
    cells = [];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        cells.push({ x: state.x + x, y: state.y + y, offset: offsetOf(model, [state.x + x, state.y + y, state.z, state.s]) });
    order = cells.map((_, i) => i).sort((a, b) => cells[a].offset - cells[b].offset);
    order.forEach((i, rank) => { cells[i].rank = rank; });
    state.cursor = [Math.min(state.cursor[0], width - 1), Math.min(state.cursor[1], height - 1)];
  }
  const colorOf = rank => report.colors[Math.round(rank / Math.max(order.length - 1, 1) * (report.colors.length - 1))];

  function draw() {
    const room = Math.max(200, Math.min(canvas.parentElement?.clientWidth || 480, 480));
    unit = Math.max(2, Math.floor(room / Math.max(width, height)));
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    canvas.width = width * unit * ratio, canvas.height = height * unit * ratio;
    canvas.setAttribute("width", canvas.width);
    const c = canvas.getContext("2d");
    canvas.style.width = `${width * unit}px`;
    c.scale(ratio, ratio);
    const at = i => [(i % width) * unit, Math.floor(i / width) * unit];
    cells.forEach((cell, i) => { c.fillStyle = colorOf(cell.rank); c.fillRect(...at(i), unit, unit); });
    const middle = i => at(i).map(v => v + unit / 2);
    const line = (indices, style, thick) => {
      c.strokeStyle = style, c.lineWidth = thick, c.lineJoin = "round";
      c.beginPath();
      indices.forEach((i, k) => k ? c.lineTo(...middle(i)) : c.moveTo(...middle(i)));
      c.stroke();
    };
    if (state.path) line(order, "rgba(255,255,255,.55)", Math.max(1, unit / 14));
    const size = state.overlay === -1 ? model.tileBytes : state.overlay;
    if (size > 0) {
      // Between neighbours that lie in different blocks of so many bytes.
      const block = i => state.overlay === -1
        ? `${Math.floor(cells[i].x / model.tile[0])},${Math.floor(cells[i].y / model.tile[1])}` : Math.floor(cells[i].offset / size);
      for (const [style, thick] of [["rgba(0,0,0,.9)", 3], ["#fff", 1.2]]) {
        c.strokeStyle = style, c.lineWidth = thick;
        c.beginPath();
        for (let i = 0; i < cells.length; i++) {
          const [x, y] = at(i);
          if ((i + 1) % width && block(i) !== block(i + 1)) c.moveTo(x + unit, y), c.lineTo(x + unit, y + unit);
          if (i + width < cells.length && block(i) !== block(i + width)) c.moveTo(x, y + unit), c.lineTo(x + unit, y + unit);
        }
        c.stroke();
      }
    }
    if (state.lanes && remap) drawLanes(c, middle, line);
    if (unit >= 24 && !state.lanes) {
      const digits = String(cells[order.at(-1)].offset - model.base).length;
      c.font = `${Math.min(12, unit / 3, unit * 1.55 / digits)}px ui-monospace, monospace`, c.textAlign = "center", c.textBaseline = "middle";
      cells.forEach((cell, i) => {
        c.fillStyle = cell.rank / order.length > 0.45 ? "#000" : "#fff";
        c.fillText(cell.offset - model.base, ...middle(i));
      });
    }
    const i = state.cursor[1] * width + state.cursor[0];
    for (const [style, thick] of [["#000", 5], ["#fff", 2.5]]) {
      c.strokeStyle = style, c.lineWidth = thick;
      c.strokeRect(...at(i), unit, unit);
    }
    const s = strip.getContext("2d");
    strip.width = Math.max(200, strip.clientWidth || 400), strip.height = 26;
    order.forEach((_, rank) => {
      s.fillStyle = colorOf(rank);
      s.fillRect(Math.floor(rank / order.length * strip.width), 0, Math.ceil(strip.width / order.length) + 1, 26);
    });
    const mark = (cells[i].rank + 0.5) / order.length * strip.width;
    for (const [style, w] of [["#000", 5], ["#fff", 2]]) { s.fillStyle = style; s.fillRect(mark - w / 2, 0, w, 26); }
  }

  /// The workgroup at the picture's corner: the path of its lanes, subgroup by subgroup.
  function drawLanes(c, middle, line) {
    const places = laneTexels(remap);
    const shown = places.map(([x, y]) => x < width && y < height ? y * width + x : -1);
    const groups = Math.ceil(places.length / remap.subgroup);
    for (let g = 0; g < groups; g++) {
      const part = shown.slice(g * remap.subgroup, (g + 1) * remap.subgroup).filter(i => i >= 0);
      if (!part.length) continue;
      line(part, "#000", Math.max(3, unit / 6));
      line(part, `hsl(${Math.round(g / groups * 320)} 95% 72%)`, Math.max(1.6, unit / 10));
    }
    if (unit >= 20) {
      c.font = `bold ${Math.min(12, unit / 2.6)}px ui-monospace, monospace`, c.textAlign = "center", c.textBaseline = "middle";
      shown.forEach((i, lane) => {
        if (i < 0) return;
        c.lineWidth = 3, c.strokeStyle = "#000", c.strokeText(lane, ...middle(i));
        c.fillStyle = "#fff", c.fillText(lane, ...middle(i));
      });
    }
  }

  function tell() {
    const cell = cells[state.cursor[1] * width + state.cursor[0]];
    if (!cell) return;
    const texel = [cell.x * scale[0], cell.y * scale[1]];
    const size = state.overlay > 0 ? `; ${state.overlay} B block ${Math.floor(cell.offset / state.overlay)}` : "";
    const depth = extent[2] > 1 ? `,${state.z}` : "", sample = extent[3] > 1 ? ` sample ${state.s}` : "";
    read.replaceChildren(`texel ${texel}${depth}${sample} is at byte ${cell.offset} (0x${cell.offset.toString(16)}); `
      + `tile ${Math.floor(cell.x / model.tile[0])},${Math.floor(cell.y / model.tile[1])}${size}`);
    read.dataset.x = texel[0], read.dataset.y = texel[1], read.dataset.z = state.z, read.dataset.sample = state.s, read.dataset.offset = cell.offset;
    bits.replaceChildren(bitRow(model, cell.offset));
  }
  const refresh = () => { draw(); tell(); };
  const redo = () => { compute(); refresh(); };
  const move = (x, y) => {
    state.cursor = [Math.max(0, Math.min(width - 1, x)), Math.max(0, Math.min(height - 1, y))];
    refresh();
  };
  const toRank = rank => {
    const i = order[Math.max(0, Math.min(order.length - 1, rank))];
    move(i % width, Math.floor(i / width));
  };
  const pointed = event => {
    const box = canvas.getBoundingClientRect();
    move(Math.floor((event.clientX - box.left) / box.width * width), Math.floor((event.clientY - box.top) / box.height * height));
  };
  canvas.addEventListener("pointermove", pointed);
  canvas.addEventListener("pointerdown", pointed);
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  canvas.addEventListener("keydown", event => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    move(state.cursor[0] + step[0], state.cursor[1] + step[1]);
  });
  const stripped = event => {
    const box = strip.getBoundingClientRect();
    toRank(Math.floor((event.clientX - box.left) / box.width * order.length));
  };
  strip.addEventListener("pointermove", stripped);
  strip.addEventListener("pointerdown", stripped);
  strip.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    toRank(cells[state.cursor[1] * width + state.cursor[0]].rank + step);
  });

  const field = (name, value, max, set) => make("label", {}, name, make("input", { type: "number", min: 0, max, value,
    "data-field": name, onchange: event => { set(Math.max(0, Math.min(max, Number(event.target.value) || 0))); redo(); } }));
  /// Shows the element, wherever in the image it is.
  const goTo = at => {
    const corner = a => Math.floor(at[a] / state.size) * state.size;
    state.x = corner(0), state.y = corner(1), state.z = at[2], state.s = at[3];
    state.cursor = [at[0] - state.x, at[1] - state.y];
    redo();
  };
  const sizes = [8, 16, 32, 64, 128].filter(n => n <= Math.max(8, side * 2));
  const tools = make("div", { class: "tools" },
    make("label", {}, "shown", make("select", { onchange: e => { state.size = Number(e.target.value); redo(); } },
      sizes.map(n => make("option", { value: n, selected: n === state.size || undefined }, `${n}x${n}`)))),
    make("label", {}, "outline", make("select", { "data-overlay": "", onchange: e => { state.overlay = Number(e.target.value); refresh(); } },
      overlays.map(([name, value]) => make("option", { value, selected: value === state.overlay || undefined }, name)))),
    make("label", {}, make("input", { type: "checkbox", "data-path": "", checked: state.path, onchange: e => { state.path = e.target.checked; refresh(); } }), "path of memory"),
    remap && make("label", {}, make("input", { type: "checkbox", "data-lanes": "", onchange: e => { state.lanes = e.target.checked; refresh(); } }), "lanes of a workgroup"));
  const go = make("div", { class: "tools" },
    field("x", 0, (extent[0] - 1) * scale[0], v => { goTo([Math.floor(v / scale[0]), state.y + state.cursor[1], state.z, state.s]); }),
    field("y", 0, (extent[1] - 1) * scale[1], v => { goTo([state.x + state.cursor[0], Math.floor(v / scale[1]), state.z, state.s]); }),
    extent[2] > 1 && field("z", 0, extent[2] - 1, v => { state.z = v; }),
    extent[3] > 1 && field("sample", 0, extent[3] - 1, v => { state.s = v; }),
    make("label", {}, "byte", make("input", { type: "number", min: 0, "data-field": "byte", onchange: event => {
      const at = elementOf(model, extent, Number(event.target.value));
      if (at) return goTo(at);
      read.replaceChildren(`no texel lies at byte ${Number(event.target.value)}`);
      delete read.dataset.offset;
    } })));
  const box = make("div", {}, bits, canvas, strip, read, tools, go);
  compute();
  requestAnimationFrame(refresh);
  box.redraw = refresh;
  return box;
}

/// The row of address bits; those set in the offset stand out.
function bitRow(model, offset) {
  const { layout } = model;
  const rows = layout.equation.map((row, bit) => {
    const terms = row === "0" ? [] : [row];
    if (layout.outer_xor[bit]) terms.push(layout.outer_xor[bit]);
    if (Math.floor(layout.constant / 2 ** bit) % 2) terms.push("1");
    return terms.join("^") || "0";
  });
  if (!rows.length) return make("p", { class: "faint" }, "Rows of texels one after the other: no tile.");
  const inTile = Math.floor((offset - model.base) / model.unit) % Math.max(1, model.tileBytes / model.unit);
  const bitsDown = rows.map((_, i) => rows.length - 1 - i);
  // Where one line has no room, lines of eight bits, the highest first.
  const letters = rows.reduce((sum, row) => sum + Math.max(row.length, 2), 0), lines = [];
  const room = main.clientWidth > 900 ? main.clientWidth / 2 - 30 : main.clientWidth - 20;
  const each = 60 + 12 * rows.length + 8.5 * letters > room ? 8 : rows.length;
  for (let first = 0; first < rows.length;) {
    const last = first + ((rows.length - first) % each || each);
    lines.push(bitsDown.slice(first, last));
    first = last;
  }
  const what = model.unit === 1 ? "bit" : "bit of the element's index";
  return make("table", { class: "bits mono", "data-bits": "" },
    make("tbody", {}, lines.map(bits => [
      make("tr", { class: "faint" }, make("th", {}, what), bits.map(b => make("td", {}, b))),
      make("tr", {}, make("th", {}, "is"), bits.map(b => make("td", { class: Math.floor(inTile / 2 ** b) % 2 ? "on" : "" }, rows[b])))])));
}

/// Texel of each invocation of a workgroup.
function laneTexels(remap) {
  const columns = remap.columns.map(text => {
    const at = [0, 0, 0];
    if (text !== "0") for (const term of text.split("^")) at[axes.indexOf(term[0])] ^= 1 << Number(term.slice(1));
    return at;
  });
  return Array.from({ length: 2 ** columns.length }, (_, lane) => columns.reduce((at, column, bit) =>
    lane >> bit & 1 ? at.map((v, a) => v ^ column[a]) : at, [0, 0, 0]));
}

// ---- Views. Each gives the nodes of the main part.
const link = (to, ...children) => make("a", { href: "#" + new URLSearchParams(to) }, ...children);

function viewHome() {
  return [
    make("h1", {}, report.gpus.length ? report.gpus.join(" and ") : "All devices"),
    report.notes.map(note => make("p", { class: "warn" }, note)),
    make("p", { class: "faint" }, `${counted(report.devices.length, "device")} and drivers, ${counted(report.patterns.length, "pattern")}; images of ${extentText(report.extent)}.`),
    report.devices.length > 1 && make("div", { class: "tabs" }, link({ compare: firstPair() }, "Two side by side")),
    byVendor(chipsOf(report.devices.map((_, i) => [i, ""]))).map(([vendor, chips]) => make("section", { "data-vendor": vendor },
      make("h2", {}, vendor, make("small", { class: "faint" }, ` ${counted(chips.length, "chip")}`)), chipCards(chips))),
    make("h2", {}, "Patterns"),
    make("div", { class: "wide later" }, patternTable(report.patterns.map((_, i) => i))),
  ];
}
/// Devices, each with why it is there, as chips: those of one chip together, where they come first.
function chipsOf(list) {
  const chips = new Map();
  for (const [index, why] of list) {
    const d = report.devices[index];
    chips.set(chipKey(d), [...chips.get(chipKey(d)) ?? [], { index, why, d }]);
  }
  return [...chips.values()];
}
const chipKey = d => d.chip ? `${d.chip}|${d.architecture}` : d.device.name;
const isAlike = (a, b) => chipKey(a) === chipKey(b);
/// The first device, and the first one of another chip.
const firstPair = () => `0,${Math.max(1, report.devices.findIndex(d => !isAlike(d, report.devices[0])))}`;
const isOneChip = () => report.devices.every(d => isAlike(d, report.devices[0]));
const vendorOf = d => d.vendor || d.device.vendor || "other";
function byVendor(chips) {
  const vendors = new Map();
  for (const chip of chips) vendors.set(vendorOf(chip[0].d), [...vendors.get(vendorOf(chip[0].d)) ?? [], chip]);
  return [...vendors].sort(([a], [b]) => a < b ? -1 : 1);
}
/// One card a chip: of its devices the one that most is known of, or that was searched for, and links to the others.
function chipCards(chips) {
  return make("ul", { class: "cards" }, chips.map(devices => {
    const known = [...devices].sort((a, b) => !a.why - !b.why || b.d.observations - a.d.observations || (a.d.driver < b.d.driver ? 1 : -1));
    const { d, index, why } = known[0];
    return make("li", {}, link({ device: index }, d.tiles.length > 0 && thumbnail(d.tiles[0]),
      make("span", {}, make("strong", {}, d.chip || deviceTitle(d)), d.architecture && ` ${d.architecture}`, make("small", {}, why || some(d.products, 3)),
        make("small", {}, make("bdi", {}, deviceTitle(d)), ` · ${driverOf(d)}`))),
    known.length > 1 && make("small", { class: "also" }, "also ", known.slice(1).map((other, i) => [i > 0 && ", ",
      link({ device: other.index }, other.d.device.name === d.device.name ? driverOf(other.d) : deviceTitle(other.d))])));
  }));
}
/// The first 16x16 elements of a tile, coloured by their place in memory.
function thumbnail(tile) {
  const model = modelOf(report.patterns[tile.pattern].layout), side = 16;
  const canvas = make("canvas", { class: "thumbnail", width: side, height: side, role: "img", "aria-label": `Tile of ${tile.format}` });
  const places = Array.from({ length: side * side }, (_, i) => offsetOf(model, [i % side, Math.floor(i / side), 0, 0]));
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  const c = canvas.getContext("2d");
  order.forEach((i, rank) => {
    c.fillStyle = report.colors[rank];
    c.fillRect(i % side, Math.floor(i / side), 1, 1);
  });
  return canvas;
}
function patternTable(indices) {
  return make("table", {}, make("thead", {}, make("tr", {}, ["pattern", "tile", "name", "chips"].map(t => make("th", {}, t)))),
    make("tbody", {}, indices.map(i => {
      const p = report.patterns[i];
      return make("tr", {}, make("td", { class: "mono" }, link({ pattern: p.id }, p.id)), make("td", {}, p.title), make("td", {}, p.name),
        make("td", {}, some(p.chips, 4)));
    })));
}

function viewDevice(index, parameters) {
  const d = report.devices[index];
  const view = parameters.get("view") ?? "tile";
  const others = report.devices.filter(other => other !== d && isAlike(other, d));
  const views = [["tile", "Tile"], ["formats", "Formats"], ["images", `Images of ${extentText(report.extent)}`], ["timings", "Timings"]];
  const head = [
    make("h1", {}, make("bdi", {}, deviceTitle(d))),
    make("p", {}, deviceLine(d), d.products.length > 0 && make("span", { class: "faint" }, ` · ${some(d.products, others.length ? 1 : 4)}`),
      others.length > 0 && make("span", { class: "faint" }, " · also ", others.map((other, i) => [i > 0 && ", ",
        link({ device: report.devices.indexOf(other) }, other.device.name === d.device.name ? driverOf(other) : `${deviceTitle(other)} · ${driverOf(other)}`)]))),
    report.gpus.length === 1 && report.assumed.map(note => make("p", { class: "warn" }, `Assumed: ${note}.`)),
    make("nav", { class: "tabs", "aria-label": "Parts of the device" }, views.map(([name, text]) => {
      const a = link({ device: index, view: name }, text);
      if (name === view) a.setAttribute("aria-current", "true");
      return a;
    }), report.devices.length > 1 && link({ compare: `${index},${index ? 0 : 1}` }, "Beside another")),
  ];
  const body = view === "images" ? imagesOf(d, parameters) : view === "timings" ? [timingsOf(d, parameters), figuresOf(d)]
    : view === "formats" ? [matrixKey(), matrixOf(d), make("div", { id: "detail", "aria-live": "polite" })] : tileOf(d, index, parameters);
  return [...head, ...body];
}
/// The format that was asked for, or a usual one: its tile, what memory order gains, and the code for it.
const shortFormats = { R8G8B8A8_UNORM: "RGBA8", R16G16B16A16_SFLOAT: "RGBA16F", R32G32B32A32_SFLOAT: "RGBA32F",
  BC1_RGBA_UNORM_BLOCK: "BC1", BC7_UNORM_BLOCK: "BC7", D32_SFLOAT: "depth (D32)" };
function tileOf(d, index, parameters) {
  if (!d.tiles.length) return [make("p", {}, "No pattern is known here.")];
  const tile = d.tiles.find(t => t.format === parameters.get("format")) ?? d.tiles[0];
  const p = report.patterns[tile.pattern], model = modelOf(p.layout);
  const formats = d.tiles.length > 1 && make("nav", { class: "tabs small", "aria-label": "Formats" }, d.tiles.map(t => {
    const a = link({ device: index, format: t.format }, shortFormats[t.format] ?? t.format);
    if (t === tile) a.setAttribute("aria-current", "true");
    return a;
  }));
  return [
    formats,
    make("h2", { class: "tile" }, make("span", {}, breakable(tile.format), ": "), explained(p.title)),
    make("div", { class: "gain", "data-gain": "", "data-source": tile.source }, tile.gain.map(sentence => make("p", {}, explained(sentence)))),
    make("div", { class: "side" },
      make("section", { "aria-label": "Picture" }, picture(model, pictureExtent(model), { remap: p.remap, label: p.id, size: 16 })),
      make("div", {}, remapOf(p), codeOf(p))),
    gainsOf(d, tile, p),
    make("p", { class: "faint" }, "Pattern ", link({ pattern: p.id }, p.id), p.name && ` · ${p.name}`, ". ",
      explained(`${counted(d.observations, "observation")} (${d.provenance.join(", ")}).`
      + (d.lanes ? ` Lanes of 256 invocations: ${d.lanes}.` : "") + (d.launch ? ` Workgroups launch by ${d.launch}.` : ""))),
    d.products.length > 4 && make("details", {}, make("summary", {}, `Products: ${d.products.length}`), make("p", { class: "faint" }, d.products.join(", "))),
  ];
}
/// As far as a picture of a pattern alone may go.
function pictureExtent(model) {
  const reach = a => model.stride[a] > 0 ? Math.max(model.tile[a] * 4, 256) : model.tile[a];
  return [reach(0), reach(1), model.stride[2] > 0 ? model.tile[2] * 4 : model.tile[2], model.tile[3]];
}
/// What was timed of the tile, kernel by kernel.
function gainsOf(d, tile, p) {
  const own = tile.source === "measured";
  const ofTile = report.gains.filter(g => g.pattern === p.id && (!own || g.device === d.device.name && g.driver === d.driver));
  const ofFormat = ofTile.filter(g => g.format === tile.format), gains = ofFormat.length ? ofFormat : ofTile;
  if (!gains.length) return null;
  const times = range => range ? `${range.low.toFixed(2)} to ${range.high.toFixed(2)}` : "";
  const span = (from, to) => String(from) === String(to) ? from : `${from} to ${to}`;
  return make("details", { "data-gains": "" }, make("summary", {}, "What was timed, kernel by kernel"),
    make("div", { class: "wide" }, make("table", {}, make("thead", {}, make("tr", {}, ["kernel", "format", "times as fast as row order", "as Morton order", "radius", "images of", "on"].map(t => make("th", {}, t)))),
      make("tbody", {}, gains.map(g => make("tr", {}, make("td", {}, g.kernel), make("td", {}, breakable(g.format)), make("td", {}, times(g.over_row)), make("td", {}, times(g.over_morton)),
        make("td", {}, g.over_row.radii[1] ? span(...g.over_row.radii) : "none"), make("td", {}, span(g.over_row.smallest.join("x"), g.over_row.largest.join("x"))), make("td", {}, g.device)))))));
}
const matrixKey = () => make("p", { class: "key faint" }, [["hardware", "read on hardware"], ["driver", "by the driver, without hardware"],
  ["published", "published or documented"], ["rule", "a learned rule only"]].map(([name, text]) => make("span", { class: name }, text)));

function cellText(cell) {
  const names = [...new Set(cell.patterns.map(p => {
    const { mode } = report.patterns[p.pattern];
    return mode.name ? (mode.size || mode.name) : shortId(p.pattern);
  }))];
  return some(names, 2);
}
const kindsOf = devices => report.kinds.filter(kind => devices.some(d => d.formats.some(row => row.cells.some(cell => cell.kind === kind))));
/// What formats are for, the usual first; the last takes what is left.
const uses = [
  ["8 bits a channel: RGBA8", /^([RA]8|B8G8R8A?8?_|A8B8G8R8)/], ["16 bits a channel: RGBA16F", /^R16/], ["32 and 64 bits a channel: RGBA32F", /^R(32|64)/],
  ["Blocks: BC, ETC, ASTC", /^(BC|ETC|EAC|ASTC|PVRTC)/], ["Depth and stencil", /^([DS]\d|X8_D24)/],
  ["Planes and other formats of video", /PLANE|X6|X4|^[BG]\d.*422/], ["Several channels in a word", /./]];
const useOf = format => uses.findIndex(([, pattern]) => pattern.test(format));
/// The usual ones of that use, then the others of it.
const rankOf = (format, place) => (format in shortFormats ? 0 : 1) + (useOf(format) === place ? 0 : 2);
const usualFirst = (formats, place) => [...formats].sort((a, b) => rankOf(a, place) - rankOf(b, place));
/// Rows of formats as tables, one for each use, with the kinds of image that it has something of.
function matrixByUse(rows, formatsOf, kindsOfRows, lineOf) {
  return uses.map(([use], place) => {
    const lines = rows.filter(row => Math.min(...formatsOf(row).map(useOf)) === place)
      .sort((a, b) => rankOf(usualFirst(formatsOf(a), place)[0], place) - rankOf(usualFirst(formatsOf(b), place)[0], place));
    if (!lines.length) return null;
    const kinds = kindsOfRows(lines), count = lines.reduce((sum, row) => sum + formatsOf(row).length, 0);
    return make("details", { open: place < 5, class: "use" }, make("summary", {}, use, make("small", { class: "faint" }, ` ${counted(count, "format")}`)),
      make("div", { class: "wide" }, make("table", { class: "matrix" },
        make("thead", {}, make("tr", {}, make("th", {}, "format"), kinds.map(kind => make("th", {}, explained(kind))))),
        make("tbody", {}, lines.map(row => make("tr", {}, make("th", { title: formatsOf(row).join(", ") }, breakable(some(usualFirst(formatsOf(row), place), 2))), lineOf(row, kinds)))))));
  });
}
function matrixOf(d) {
  const kindsIn = rows => report.kinds.filter(kind => rows.some(row => row.cells.some(cell => cell.kind === kind)));
  return matrixByUse(d.formats, row => row.formats, kindsIn, (row, kinds) => kinds.map(kind => {
    const cell = row.cells.find(c => c.kind === kind);
    return make("td", { "data-kind": kind }, cell && make("button", { type: "button", class: "cell " + provenanceClass(cell),
      onclick: () => showDetail(d, row, cell) }, explained(cellText(cell), true)));
  }));
}
function showDetail(d, row, cell) {
  const detail = document.getElementById("detail");
  detail.replaceChildren(
    make("h2", {}, `${cell.kind}: ${some(row.formats, 6)}`),
    make("p", { class: "faint" }, [cell.provenance.length ? "observed: " + cell.provenance.join(", ") : "", cell.rule].filter(Boolean).join("; ")),
    make("div", { class: "wide" }, make("table", {}, make("thead", {}, make("tr", {}, ["pattern", "tile", "name", "aspect", "seen in images of"].map(t => make("th", {}, t)))),
      make("tbody", {}, cell.patterns.map(p => {
        const pattern = report.patterns[p.pattern];
        return make("tr", {}, make("td", { class: "mono" }, link({ pattern: pattern.id }, shortId(p.pattern))), make("td", {}, pattern.title),
          make("td", {}, pattern.name), make("td", {}, p.aspect), make("td", {}, p.observations ? `${some(p.extents, 6)} (${counted(p.observations, "observation")})` : "by the rule"));
      })))));
  detail.scrollIntoView({ block: "nearest" });
}

// ---- An image as a map of memory.
function imagesOf(d, parameters) {
  if (!d.images.length) return [make("p", {}, `Nothing is known about images of ${extentText(report.extent)} here: none was read, no rule covers them, and no similar image was read.`)];
  const known = image => image.formats.find(format => ["R8G8B8A8_UNORM", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT"].includes(format)) ?? image.formats[0];
  const texts = d.images.map(image => `${known(image)}${image.formats.length > 1 ? ` +${image.formats.length - 1}` : ""}, ${image.kind}${image.source === "assumed" ? " (assumed)" : ""}`);
  const wanted = parameters.get("image");
  const preferred = d.images.findIndex(image => image.kind === "levels" && image.formats.includes("R8G8B8A8_UNORM"));
  const chosen = wanted !== null && d.images[wanted] ? Number(wanted) : Math.max(preferred, 0);
  const select = make("select", { "data-images": "", onchange: e => { location.hash = new URLSearchParams({ device: report.devices.indexOf(d), view: "images", image: e.target.value }); } },
    texts.map((text, i) => make("option", { value: i, selected: i === chosen || undefined }, text)));
  const image = d.images[chosen], layout = report.image_layouts[image.image_layout];
  const map = make("div"), detail = make("div", {});
  let part = 0;
  const choose = index => {
    part = index;
    map.replaceChildren(memoryMap(layout, part, choose));
    const p = layout.subresources[part];
    const layers = p.layers > 1 && make("label", {}, "layer", make("input", { type: "number", min: p.layer, max: p.layer + p.layers - 1, value: p.layer,
      "data-field": "layer", onchange: e => { const layer = Math.max(p.layer, Math.min(p.layer + p.layers - 1, Number(e.target.value) || p.layer)); show(layer); } }));
    const place = make("div");
    const show = layer => place.replaceChildren(picture(modelOf(layoutOfPart(p, layer)), extentOfPart(layout, p),
      { scale: [(p.element ?? report.patterns[p.pattern].layout.element).width, (p.element ?? report.patterns[p.pattern].layout.element).height], remap: report.patterns[p.pattern].remap, label: `level ${p.level}` }));
    detail.replaceChildren(make("h2", {}, `${p.aspect}, level ${p.level}: ${extentText(p.extent)}`),
      make("p", {}, "Pattern ", link({ pattern: report.patterns[p.pattern].id }, report.patterns[p.pattern].id), ` ${report.patterns[p.pattern].title}; strides ${p.stride.slice(0, 3).join(", ")}; base ${p.base}${p.constant ? `; constant ${p.constant}` : ""}.`),
      make("div", { class: "tools" }, layers), place, codeOf(report.patterns[p.pattern], p) ?? "");
    show(p.layer);
  };
  choose(0);
  return [
    make("div", { class: "tools" }, make("label", {}, "image", select)),
    make("p", { class: { probed: "", assumed: "warn" }[image.source] ?? "faint", "data-source": image.source }, `${image.source}: ${image.evidence}. ${counted(layout.levels, "level")}, ${counted(layout.layers, "layer")}, ${counted(layout.samples, "sample")}${layout.bytes ? `; ${number(layout.bytes)} bytes, aligned to ${layout.alignment}` : ""}.`),
    make("details", {}, make("summary", {}, `Formats laid out alike: ${image.formats.length}`), make("p", { class: "faint" }, image.formats.join(", "))),
    map, detail,
  ];
}
function memoryMap(layout, chosen, choose) {
  const parts = layout.subresources;
  const end = Math.max(layout.bytes, ...parts.map(p => p.end + (p.layers - 1) * p.layer_stride));
  const width = Math.max(300, Math.min(1000, main.clientWidth - 32)), lane = 22, count = Math.max(...parts.map(p => p.level)) + 1;
  const levelColor = level => report.colors[Math.round(level / Math.max(count - 1, 1) * (report.colors.length - 1))];
  const x = byte => byte / end * width;
  const svg = make("svg", { viewBox: `0 0 ${width} ${lane * (count + 1) + 40}`, width, role: "img", "aria-label": "Memory from the first byte (left) to the last, a line for each level" });
  const box = (p, layer, y, height) => {
    const from = p.base + layer * p.layer_stride, to = p.end + layer * p.layer_stride;
    // Small levels are drawn wider than they are, without the gap between neighbours: else they would not be seen.
    const wide = Math.max(x(to) - x(from), 2);
    return make("rect", { class: "part" + (parts.indexOf(p) === chosen ? " chosen" : wide < 4 ? " thin" : ""), x: Math.min(x(from), width - wide), y, width: wide, height, fill: levelColor(p.level),
      onclick: () => choose(parts.indexOf(p)) }, tip(`${p.aspect} level ${p.level}, layer ${p.layer + layer}: bytes ${from} to ${to - 1} (${bytesText(to - from)})`));
  };
  svg.append(make("rect", { x: 0, y: 0, width, height: lane + 4, fill: css("--line"), "fill-opacity": 0.5 }));
  for (const p of parts)
    for (let layer = 0; layer < Math.min(p.layers, 64); layer++) {
      svg.append(box(p, layer, 2, lane));
      svg.append(box(p, layer, lane * (p.level + 1) + 8, lane - 6));
    }
  const marks = width > 500 ? 4 : 2;
  for (let i = 0; i <= marks; i++) {
    const at = i / marks * width;
    svg.append(make("text", { class: "faint", x: at, y: lane * (count + 1) + 28, "text-anchor": i === 0 ? "start" : i === marks ? "end" : "middle" }, bytesText(Math.round(i / marks * end))));
  }
  const rows = parts.map((p, i) => make("tr", { class: i === chosen ? "chosen" : "" },
    make("td", {}, make("button", { type: "button", "data-level": p.level, onclick: () => choose(i) }, `${p.aspect === "color" ? "" : p.aspect + " "}level ${p.level}`)),
    make("td", {}, extentText(p.extent)), make("td", { class: "n" }, p.layers === 1 ? p.layer : `${p.layer} to ${p.layer + p.layers - 1}`),
    make("td", { class: "n" }, number(p.base)), make("td", { class: "n" }, number(p.end)), make("td", { class: "n" }, p.layer_stride ? number(p.layer_stride) : ""),
    make("td", { class: "mono" }, link({ pattern: report.patterns[p.pattern].id }, shortId(p.pattern)))));
  return make("div", {}, svg, make("div", { class: "wide" }, make("table", {},
    make("thead", {}, make("tr", {}, ["", "texels", "layers", "from byte", "to byte", "layer stride", "pattern"].map((t, i) => make("th", { class: i > 1 && i < 6 ? "n" : "" }, t)))), make("tbody", {}, rows))));
}

// ---- Timings.
const orderColor = { row: "--row", morton: "--morton", rdna: "--rdna", learned: "--learned" };
const orderMark = { row: "■", morton: "▲", rdna: "◆", learned: "●" };
/// The workgroup of a timing, and where its workgroups are dispatched in blocks.
const shapeName = fact => fact.shape.join("x") + (fact.group_order && fact.group_order !== "linear" ? ` in ${fact.group_order}` : "");
const seriesName = fact => fact.order ? `${fact.method}, ${fact.order}` : fact.method;
const milliseconds = ms => `${+ms.toPrecision(4)}`;
const cellName = fact => [fact.kernel, fact.format, extentText([...fact.extent, 1])].join(", ");
/// `beside`: two devices share the page's width.
function timingsOf(d, parameters, beside) {
  const names = [...new Set([...d.timings, ...d.tunings].map(cellName))];
  if (!names.length) return [make("p", {}, "Nobody has timed kernels here: `tilewise validate` and `tilewise tune` do.")];
  const wanted = parameters.get("cell");
  const texels = name => { const [width, height] = name.split(", ").at(-1).split("x"); return width * height; };
  const timed = [...new Set(d.timings.map(cellName))].filter(n => n.startsWith("box, R32G32B32A32"));
  const largest = timed.sort((a, b) => texels(b) - texels(a))[0];
  const name = names.includes(wanted) ? wanted : largest ?? names[0];
  const [facts, tuned] = [d.timings, d.tunings].map(list => list.filter(f => cellName(f) === name));
  const select = make("select", { onchange: e => { const now = new URLSearchParams(location.hash.slice(1)); now.set("cell", e.target.value); location.hash = now; } },
    names.map(n => make("option", { value: n, selected: n === name || undefined }, n)));
  const room = (main.clientWidth || 900) - (main.clientWidth < 560 ? 20 : 32);
  const chart = timingChart(facts, tuned, Math.max(280, beside && room >= 868 ? (room - 28) / 2 : room));
  const save = make("button", { type: "button", "data-save": "", onclick: () => saveFile(`${deviceTitle(d)} ${name}.svg`, svgFile(timingChart(facts, tuned)), "image/svg+xml") }, "Save as SVG");
  return [make("div", { class: "tools" }, make("label", {}, "kernel", select), save),
    make("p", { class: "faint" }, "For each method and order, the shape that was fastest at that radius; bars are 95% intervals, and the dashed line is the time to move the bytes once. Lower is faster. All shapes are in the table, losses as well as gains."),
    make("div", { class: "chart" }, chart),
    tuned.length > 0 && [make("h2", {}, "The fastest of many orders that were tried"),
      make("p", { class: "faint" }, "What `tilewise tune` kept at each radius: the simplest order that cannot be told from the fastest. Below 1, it is slower than the named order."),
      make("div", { class: "wide" }, tuningTable(tuned)), make("h2", {}, "Every shape")],
    make("div", { class: "wide" }, timingTable(facts))];
}
/// `tuned`: drawn beside the orders by name, if there are any. `room`: its width in pixels, of a page; without it that of a
/// file. Where there is little, the lines are named below the plot.
function timingChart(facts, tuned = [], room) {
  const radii = [...new Set([...facts, ...tuned].map(f => f.radius))].sort((a, b) => a - b);
  const series = new Map();
  for (const fact of facts) {
    const best = series.get(seriesName(fact)) ?? new Map();
    if (!best.has(fact.radius) || best.get(fact.radius).median_ms > fact.median_ms) best.set(fact.radius, fact);
    series.set(seriesName(fact), best);
  }
  const all = [...series.values()].flatMap(best => [...best.values()]).concat(tuned);
  const low = Math.min(...all.map(f => Math.min(f.median_ms, f.floor_ms || f.median_ms))) / 1.25, high = Math.max(...all.map(f => f.median_ms)) * 1.25;
  // Room at the right for the longest label, some 7 units a letter.
  const left = 64, beside = 40 + 7 * Math.max(0, ...[...series.keys()].map(name => name.length));
  const below = room !== undefined && room < left + beside + 300, lineHeight = 17;
  const right = below ? 14 : beside, width = room ?? left + right + 546;
  const names = below ? series.size + 2 : 0;
  const top = 12, bottom = 40, plotted = room > 900 ? 460 : 380, height = plotted + names * lineHeight;
  const near = place => Math.round(place * 100) / 100;  // what a screen shows, and a browser's logarithm agrees in
  const x = radius => near(radii.length === 1 ? (left + width - right) / 2 : left + 14 + radii.indexOf(radius) / (radii.length - 1) * (width - left - right - 28));
  const y = ms => near(top + (Math.log(high) - Math.log(ms)) / (Math.log(high) - Math.log(low)) * (plotted - top - bottom));
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": "Milliseconds by radius, one line for each method and order; the table below has the same numbers" });
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); decade++)
    for (const step of [1, 2, 5]) {
      const ms = step * 10 ** decade;
      if (ms < low || ms > high) continue;
      svg.append(make("line", { class: "grid", x1: left, x2: width - right, y1: y(ms), y2: y(ms) }), make("text", { class: "faint", x: left - 6, y: y(ms) + 4, "text-anchor": "end" }, `${+ms.toPrecision(2)} ms`));
    }
  for (const radius of radii) svg.append(make("text", { class: "faint", x: x(radius), y: plotted - 14, "text-anchor": "middle" }, radius || "no radius"));
  if (radii.at(-1)) svg.append(make("text", { class: "faint", x: left - 6, y: plotted - 14, "text-anchor": "end" }, "radius"));
  const floors = radii.map(r => [r, Math.max(0, ...facts.filter(f => f.radius === r).map(f => f.floor_ms ?? 0))]).filter(([, ms]) => ms > 0);
  const labels = [];
  const path = points => points.map(([r, ms], i) => `${i ? "L" : "M"}${x(r)} ${y(ms)}`).join("");
  if (floors.length) {
    svg.append(make("path", { d: path(floors), fill: "none", stroke: css("--floor"), "stroke-width": 1.5, "stroke-dasharray": "6 4" }));
    labels.push([y(floors.at(-1)[1]), "┅ floor", css("--floor")]);
  }
  // Methods without an order have a colour each.
  const own = [...series.keys()].filter(name => !orderColor[series.get(name).values().next().value.order]).sort();
  const [saturation, lightness] = document.documentElement.dataset.theme === "dark" ? [70, 74] : [75, 29];
  for (const [name, best] of series) {
    const points = [...best.values()].sort((a, b) => a.radius - b.radius), order = points[0].order;
    const color = orderColor[order] ? css(orderColor[order]) : `hsl(${Math.round(330 + own.indexOf(name) / own.length * 360) % 360}, ${saturation}%, ${lightness}%)`;
    const dash = points[0].method === "direct" ? undefined : "2 3";
    svg.append(make("path", { d: path(points.map(f => [f.radius, f.median_ms])), fill: "none", stroke: color, "stroke-width": 2, "stroke-dasharray": dash }));
    for (const f of points) {
      if (f.interval_ms) svg.append(make("line", { x1: x(f.radius), x2: x(f.radius), y1: y(f.interval_ms[0]), y2: y(f.interval_ms[1]), stroke: color, "stroke-width": 5, "stroke-opacity": 0.5 }));
      svg.append(make("text", { x: x(f.radius), y: y(f.median_ms) + 4, "text-anchor": "middle", class: "mark", fill: color }, orderMark[order] ?? "○",
        tip(`${name} in ${shapeName(f)}, radius ${f.radius}: ${milliseconds(f.median_ms)} ms${f.interval_ms ? ` (${f.interval_ms.map(milliseconds).join(" to ")})` : ""}; ${f.verdict}`)));
    }
    labels.push([y(points.at(-1).median_ms), `${orderMark[order] ?? "○"} ${name}`, color]);
  }
  for (const f of tuned) svg.append(make("text", { x: x(f.radius), y: y(f.median_ms) + 5, "text-anchor": "middle", class: "mark", fill: css("--text"), "font-weight": "bold" }, "✚",
    tip(`tuned: ${f.method}, ${f.order} in ${f.shape.join("x")}, radius ${f.radius}: ${milliseconds(f.median_ms)} ms${f.interval_ms ? ` (${f.interval_ms.map(milliseconds).join(" to ")})` : ""}; the best of ${f.candidates}`)));
  if (tuned.length) labels.push([plotted - bottom, "✚ tuned", css("--text")]);  // below the lines' ends: it has no line
  // Labels beside the lines' ends, pushed apart where they would overlap.
  labels.sort((a, b) => a[0] - b[0]);
  let last = -Infinity;
  labels.forEach(([at, text, fill], i) => {
    last = Math.max(at, last + 14);
    const place = below ? { x: 8, y: plotted + 10 + i * lineHeight } : { x: width - right + 8, y: near(last + 4) };
    svg.append(make("text", { ...place, class: "mark", "data-line": "", fill }, text));
  });
  return svg;
}
/// A plot as a file of its own: what the page's style says is written into it.
function svgFile(svg) {
  const file = svg.cloneNode(true), box = file.viewBox.baseVal;
  const styled = { "text:not(.mark)": ["fill", "--text"], "text.faint": ["fill", "--faint"], ".grid": ["stroke", "--line"] };
  for (const [selector, [attribute, name]] of Object.entries(styled))
    for (const node of file.querySelectorAll(selector)) node.setAttribute(attribute, css(name));
  file.setAttribute("height", box.height);
  file.setAttribute("font-family", "sans-serif"), file.setAttribute("font-size", 12);
  file.prepend(make("rect", { width: box.width, height: box.height, fill: css("--ground") }));
  return new XMLSerializer().serializeToString(file).replace(/></g, ">\n<") + "\n";
}
function saveFile(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
function figuresOf(d) {
  return d.figure_lines.length > 0 && [make("h2", {}, "Measured on their own"),
    make("table", { "data-figures": "" }, make("tbody", {}, d.figure_lines.map(f => make("tr", {}, make("th", {}, f.about), make("td", {}, f.text)))))];
}
function timingTable(facts) {
  const sorted = [...facts].sort((a, b) => a.radius - b.radius || a.median_ms - b.median_ms);
  return make("table", {}, make("thead", {}, make("tr", {}, ["radius", "method", "order", "shape", "ms", "95%", "floor", "times the baseline's speed", "verdict"].map((t, i) => make("th", { class: [0, 4, 5, 6, 7].includes(i) ? "n" : "" }, t)))),
    make("tbody", {}, sorted.map(f => make("tr", {}, make("td", { class: "n" }, f.radius), make("td", {}, f.method), make("td", {}, f.order || "its own"), make("td", {}, shapeName(f)),
      make("td", { class: "n" }, milliseconds(f.median_ms)), make("td", { class: "n" }, f.interval_ms ? f.interval_ms.map(milliseconds).join(" to ") : ""), make("td", { class: "n" }, f.floor_ms ? milliseconds(f.floor_ms) : ""),
      make("td", { class: "n" }, f.ratio ? f.ratio.toFixed(3) + (f.ratio_interval ? ` (${f.ratio_interval.map(v => v.toFixed(3)).join(" to ")})` : "") : ""), make("td", { class: "verdict-" + f.verdict }, f.verdict)))));
}

function tuningTable(tuned) {
  const ratio = (value, interval) => !value ? make("td", { class: "n" })
    : make("td", { class: "n" + (interval?.[0] > 1 ? " verdict-faster" : interval?.[1] < 1 ? " verdict-slower" : "") },
      value.toFixed(3) + (interval ? ` (${interval.map(v => v.toFixed(3)).join(" to ")})` : ""));
  return make("table", { "data-tunings": "" }, make("thead", {}, make("tr", {}, ["radius", "method", "order", "shape", "workgroups", "bits of the index", "tried", "ms", "95%", "times as fast as row", "as Morton", "as memory order", "as the fastest"].map((t, i) => make("th", { class: i === 0 || i > 5 ? "n" : "" }, t)))),
    make("tbody", {}, [...tuned].sort((a, b) => a.radius - b.radius).map(f => make("tr", {}, make("td", { class: "n" }, f.radius), make("td", {}, f.method), make("td", {}, f.order), make("td", {}, f.shape.join("x")), make("td", {}, f.group_order),
      make("td", { class: "mono" }, f.columns), make("td", { class: "n" }, f.candidates), make("td", { class: "n" }, milliseconds(f.median_ms)), make("td", { class: "n" }, f.interval_ms ? f.interval_ms.map(milliseconds).join(" to ") : ""),
      ratio(f.over_row, f.over_row_interval), ratio(f.over_morton, f.over_morton_interval), ratio(f.over_derived, f.over_derived_interval), f.over_best ? ratio(f.over_best, f.over_best_interval) : make("td", { class: "n" }, "it is")))));
}

// ---- A pattern.
function viewPattern(id) {
  const index = patternNamed.get(id);
  if (index === undefined) return [make("h1", {}, "There is no such pattern here.")];
  const p = report.patterns[index], layout = p.layout;
  const model = modelOf(layout), extent = pictureExtent(model);
  const users = report.devices.flatMap((d, i) => d.formats.some(row => row.cells.some(c => c.patterns.some(x => x.pattern === index))) ? [[i, ""]] : []);
  return [
    make("h1", {}, p.title), make("p", {}, make("code", {}, p.id), p.name ? ` · ${p.name}` : ""),
    make("p", { class: "faint" }, "Chips: " + (some(p.chips, 40) || "by rules only")),
    make("div", { class: "side" },
      make("section", { "aria-label": "Picture" }, make("h2", {}, "Where each texel lies"), picture(model, extent, { remap: p.remap, label: p.id })),
      make("div", {}, remapOf(p), codeOf(p))),
    make("h2", {}, "Devices that have it"), chipCards(chipsOf(users)),
  ];
}
function remapOf(p) {
  if (!p.remap) return make("section", {}, make("h2", {}, explained("Remap")), make("p", {}, "Rows are memory order: no remap is needed."));
  const names = ["order", "shape", "32 B segments", "64 B", "128 B", "64 B by quads"];
  return make("section", { "aria-label": "Remap" }, make("h2", {}, explained("Remap")),
    make("p", { "data-remap": "" }, `Workgroups of ${p.remap.shape.slice(0, p.remap.shape[2] > 1 ? 3 : 2).join("x")}, subgroups of ${p.remap.subgroup}, for ${p.remap.device}. Bits of the invocation's index, from the lowest: `, make("code", {}, p.remap.columns.join(" ")), "."),
    make("div", { class: "wide" }, make("table", {}, make("thead", {}, make("tr", {}, names.map((t, i) => make("th", { class: i > 1 ? "n" : "" }, t)))),
      make("tbody", {}, p.remap.orders.map(o => make("tr", { class: o.order === "learned" ? "chosen" : "" }, make("td", {}, o.order), make("td", {}, o.shape.slice(0, 2).join("x")),
        [o.segments_32, o.segments_64, o.segments_128, o.quad_segments].map(n => make("td", { class: "n" }, n))))))),
    make("p", { class: "faint" }, p.remap.reason));
}
/// Of a pattern; or of a level of an image, whose strides are then told: the functions take them.
function codeOf(p, part) {
  const set = report.snippets[p.snippets];
  // A constant of the image's own would have to be in the code.
  const own = part && part.constant !== p.layout.constant ? [] : p.code;
  const all = part ? own : [...set?.code ?? [], ...own];
  if (!all.length) return null;
  const kinds = [...new Set(all.map(c => c.kind))];
  const state = { kind: kinds[0], language: "glsl" };
  const pre = make("pre", { tabindex: 0, "data-code": "" }), said = make("span", { role: "status", class: "faint" });
  const language = make("select", { "data-language": "", onchange: e => { state.language = e.target.value; show(); } });
  // The text names no pattern, since many share it: the line that names the tool gets it here.
  const strides = part && `; strides here: x ${part.stride[0]}, y ${part.stride[1]}${part.stride[2] ? `, z ${part.stride[2]}` : ""}; base ${part.base}`;
  const text = () => (all.find(c => c.kind === state.kind && c.language === state.language)?.text ?? "")
    .replace(`tilewise ${report.tilewise}`, said => `${said}: pattern ${p.id} ${p.title}${strides ?? ""}`);
  function show() {
    const there = all.filter(c => c.kind === state.kind).map(c => c.language);
    if (!there.includes(state.language)) state.language = there[0];
    language.replaceChildren(...there.map(l => make("option", { value: l, selected: l === state.language || undefined }, l)));
    pre.replaceChildren(text());
    said.replaceChildren();
  }
  const kind = make("select", { "data-kind": "", onchange: e => { state.kind = e.target.value; show(); } },
    kinds.map(k => make("option", { value: k }, k === "kernel" ? `kernel (${set.kernel_format})` : k)));
  const copy = make("button", { type: "button", "data-copy": "", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      const area = make("textarea", {}, "");
      area.value = text();
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    said.replaceChildren("Copied.");
  } }, "Copy");
  show();
  return make("section", { "aria-label": "Code" }, make("h2", {}, "Code"), make("div", { class: "tools" }, make("label", {}, "kind", kind), make("label", {}, "language", language), copy, said), pre,
    !p.code.length && make("p", { class: "faint" }, "The address of any texel as code: ", make("code", {}, `tilewise snippet --pattern ${p.id} --kind address --lang glsl`)));
}

// ---- Two side by side.
function viewCompare(text, parameters) {
  const pair = text.split(",").map(Number).map((i, k) => report.devices[i] ? i : Math.min(k, report.devices.length - 1));
  const choose = side => make("select", { "aria-label": side ? "right" : "left", onchange: e => { const now = [...pair]; now[side] = e.target.value; location.hash = new URLSearchParams({ compare: now.join(",") }); } },
    report.devices.map((d, i) => make("option", { value: i, selected: i === pair[side] || undefined }, `${deviceTitle(d)} (${d.driver})`)));
  const [a, b] = pair.map(i => report.devices[i]);
  const cellsOf = d => new Map(d.formats.flatMap(row => row.formats.map(format => [format, new Map(row.cells.map(c => [c.kind, c]))])));
  const [left, right] = [cellsOf(a), cellsOf(b)];
  const key = cell => cell ? [...new Set(cell.patterns.map(p => p.pattern))].sort((x, y) => x - y).join() : "";
  // Formats of which both sides say the same things are one line.
  const lines = new Map();
  const kinds = kindsOf([a, b]);
  let same = 0, different = 0, alone = 0;
  for (const format of [...new Set([...left.keys(), ...right.keys()])].sort()) {
    const id = kinds.map(kind => `${key(left.get(format)?.get(kind))}/${key(right.get(format)?.get(kind))}`).join(";");
    lines.set(id, [...(lines.get(id) ?? []), format]);
    for (const kind of kinds) {
      const [p, q] = [left, right].map(side => key(side.get(format)?.get(kind)));
      if (p && q) p === q ? same++ : different++;
      else if (p || q) alone++;
    }
  }
  const pictures = make("div", { class: "side", id: "detail" });
  const show = (cells, formats, kind) => pictures.replaceChildren(...cells.map((cell, side) => {
    const p = cell && report.patterns[cell.patterns[0].pattern];
    return make("section", {}, make("h2", {}, `${deviceTitle(report.devices[pair[side]])}: ${some(formats, 2)}, ${kind}`),
      p ? [make("p", {}, link({ pattern: p.id }, p.id), ` ${p.title}`), picture(modelOf(p.layout), [256, 256, 1, p.layout.tile.samples ?? 1].map((n, i) => i > 1 ? n : Math.max(n, modelOf(p.layout).tile[i])), { remap: p.remap, label: p.id })] : make("p", {}, "not known"));
  }));
  // Each line says whose it is: A's, B's, or that of both.
  const badge = side => make("b", { class: "badge" }, "AB"[side]);
  const cellButton = (cell, who, differs, onclick) => cell
    ? make("button", { type: "button", class: `cell ${provenanceClass(cell)}${differs ? " differs" : ""}`, onclick }, who, " ", explained(cellText(cell), true))
    : make("span", { class: "faint alone" }, who, " not known");
  const kindsIn = rows => kinds.filter(kind => rows.some(formats => [left, right].some(side => side.get(formats[0])?.has(kind))));
  const lineOf = (formats, kindsOfUse) => kindsOfUse.map(kind => {
    const cells = [left, right].map(side => side.get(formats[0])?.get(kind));
    if (!cells[0] && !cells[1]) return make("td", { "data-kind": kind });
    const onclick = () => show(cells, formats, kind);
    if (key(cells[0]) === key(cells[1])) return make("td", { "data-kind": kind, "data-relation": "same" }, cellButton(cells[0], [badge(0), " = ", badge(1)], false, onclick));
    const differs = cells[0] && cells[1];
    return make("td", { "data-kind": kind, "data-relation": differs ? "other" : "alone" }, differs && make("span", { class: "other" }, "≠ "), cells.map((cell, side) => cellButton(cell, badge(side), differs, onclick)));
  });
  return [
    make("h1", {}, "Two side by side"), make("div", { class: "side" }, [0, 1].map(side => make("label", { class: "choose" }, badge(side), choose(side)))),
    make("p", {}, `Formats and kinds of image: ${same} with the same patterns (A = B), ${different} with others (≠), ${alone} known of only one.`), matrixKey(),
    tilesBeside([a, b]),
    matrixByUse([...lines.values()], formats => formats, kindsIn, lineOf),
    pictures,
    [a, b].some(d => d.timings.length + d.tunings.length > 0) && [make("h2", {}, "Timings"), make("div", { class: "side" }, [a, b].map((d, side) => make("section", {}, make("h3", {}, badge(side), " ", deviceTitle(d)), timingsOf(d, parameters, true))))],
  ];
}

/// The first tile of which both have the format: one picture where it is the same, else two.
function tilesBeside(devices) {
  const format = devices[0].tiles.find(tile => devices[1].tiles.some(other => other.format === tile.format))?.format;
  if (!format) return null;
  const tiles = devices.map(d => d.tiles.find(tile => tile.format === format));
  const same = tiles[0].pattern === tiles[1].pattern;
  const badge = side => make("b", { class: "badge" }, "AB"[side]);
  const pictureOf = tile => {
    const p = report.patterns[tile.pattern], model = modelOf(p.layout);
    return picture(model, pictureExtent(model), { remap: p.remap, label: p.id, size: 16 });
  };
  const title = tile => [breakable(format), ": ", explained(report.patterns[tile.pattern].title)];
  const gain = tile => make("div", { class: "gain", "data-source": tile.source }, tile.gain.map(sentence => make("p", {}, explained(sentence))));
  return make("div", { class: "side" }, same
    ? [make("section", {}, make("h2", {}, badge(0), " = ", badge(1), " ", title(tiles[0])), pictureOf(tiles[0])),
       make("div", {}, tiles.map((tile, side) => make("section", {}, make("h2", {}, badge(side), " ", deviceTitle(devices[side])), gain(tile))))]
    : tiles.map((tile, side) => make("section", {}, make("h2", {}, badge(side), " ", title(tile)), gain(tile), pictureOf(tile))));
}

// ---- Search, theme, and which view.
const words = text => text.toLowerCase().replace(/\(r\)|\(tm\)/g, " ").replace(/([a-z])(?=\d)|(\d)(?=[a-z])/g, "$1$2 ").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
let searchable, productWords;
/// "10de:2684", "0x10DE:0x2684", with or without a revision: the product of the lists, or the device itself.
function foundById(query) {
  const id = query.trim().toLowerCase().replaceAll("0x", "");
  if (!/^[0-9a-f]{4}:[0-9a-f]{4}(:[0-9a-f]{2})?$/.test(id)) return [];
  return report.devices.flatMap((d, i) => {
    const known = Object.keys(d.pci_ids).find(key => key === id || key.startsWith(id + ":"))
      ?? Object.keys(d.pci_ids).find(key => id.startsWith(key + ":"));
    return known ? [[i, `has the chip of ${d.pci_ids[known] || known} (${known})`]] : [];
  });
}
function found(query) {
  const byId = foundById(query);
  if (byId.length) return byId;
  const asked = words(query);
  const hit = text => asked.every(word => text.includes(" " + word));
  return report.devices.flatMap((d, i) => {
    const exact = productWords[i].findIndex(text => text.includes(` ${asked.join(" ")} `));
    const product = exact >= 0 ? exact : productWords[i].findIndex(hit);
    if (product >= 0) return [[i, `has the chip of ${d.products[product]}`, exact >= 0 ? 0 : 2]];
    return hit(searchable[i]) ? [[i, "", 1]] : [];
  }).sort((a, b) => a[2] - b[2]);
}
const main = document.getElementById("main"), search = document.getElementById("search"), status = document.getElementById("found");
function render() {
  if (!report) return;
  const parameters = new URLSearchParams(location.hash.slice(1));
  const query = search.value.trim();
  status.replaceChildren();
  let nodes;
  if (query) {
    const hits = found(query);
    status.append(hits.length ? `${hits.length} of ${report.devices.length} devices` : `No device here is called ${visible(query)}.`);
    nodes = [chipCards(chipsOf(hits))];
  } else if (parameters.has("pattern")) nodes = viewPattern(parameters.get("pattern"));
  else if (report.devices[parameters.get("device")] && parameters.has("device")) nodes = viewDevice(Number(parameters.get("device")), parameters);
  else if (parameters.has("compare") && report.devices.length > 1) nodes = viewCompare(parameters.get("compare"), parameters);
  else if (report.devices.length === 1 || (report.gpus.length === 1 && isOneChip())) nodes = viewDevice(0, parameters);
  else if (report.gpus.length === 2 && location.hash.length < 2) nodes = viewCompare(firstPair(), parameters);
  else nodes = viewHome();
  main.replaceChildren(...nodes.flat(Infinity).filter(node => node instanceof Node));
}
search.addEventListener("input", render);
search.addEventListener("keydown", event => {
  if (event.key === "Escape") { search.value = ""; render(); }
  const first = main.querySelector(".cards a");
  if (event.key === "Enter" && search.value && first) first.click();
});
window.addEventListener("hashchange", () => { search.value = ""; render(); window.scrollTo(0, 0); });
document.addEventListener("keydown", event => {
  if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) { event.preventDefault(); search.focus(); }
});
let resized = 0;
window.addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(redrawAll, 120); });
function redrawAll() { for (const box of main.querySelectorAll("div")) box.redraw?.(); }

const theme = document.getElementById("theme"), prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = null;
try { chosenTheme = localStorage.getItem("tilewise-theme"); } catch { /* a page opened as a file may keep nothing */ }
function applyTheme() {
  const now = chosenTheme ?? (prefersDark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = now;
  theme.setAttribute("aria-pressed", now === "dark");
}
theme.addEventListener("click", () => {
  chosenTheme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try { localStorage.setItem("tilewise-theme", chosenTheme); } catch { /* as above */ }
  applyTheme();
  render();
});
prefersDark.addEventListener("change", () => { applyTheme(); render(); });
applyTheme();
unpack().then(unpacked => {
  report = unpacked;
  patternNamed = new Map(report.patterns.map((pattern, index) => [pattern.id, index]));
  searchable = report.devices.map(d => [d.device.name, d.chip, d.architecture, d.driver, `${d.device.vendor_id?.replace("0x", "")}:${d.device.device_id?.replace("0x", "")}`, d.device.vendor ?? ""].join(" ")).map(t => " " + words(t).join(" ") + " ");
  productWords = report.devices.map(d => d.products.map(product => " " + words(product).join(" ") + " "));
  document.getElementById("what").append(visible(report.gpus.length ? "report: " + report.gpus.join(" and ") : "report of all devices"));
  document.title = visible("Tilewise: " + (report.gpus.join(" and ") || "all devices"));
  render();
}).catch(error => main.replaceChildren(make("p", {}, `The report cannot be unpacked here: it needs a browser from 2023 or later (${error}).`)));
