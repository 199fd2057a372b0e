// Opens pages of `tilewise report` in a headless Chromium and does what a person does. Each line of stdin is a JSON array of
// questions, whose answers are a line of stdout; the browser ends with stdin.
//   node browse.mjs PLAYWRIGHT CHROMIUM
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [, , playwright, executablePath] = process.argv;
const { chromium } = createRequire(playwright + "/")(playwright);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const errors = [];

// A file is opened once, unless a window or a scheme of its own is asked for; then only what stands behind "#" changes.
const opened = new Map();
async function open(file, { hash = "", width, scheme } = {}) {
  if (width || scheme) return openAnew(file, hash, width ?? 1200, scheme ?? "light");
  if (!opened.has(file)) {
    opened.set(file, await openAnew(file, hash, 1200, "light"));
    return opened.get(file);
  }
  const page = opened.get(file);
  await go(page, hash);
  return page;
}
async function go(page, hash) {
  await page.evaluate(hash => {
    document.getElementById("search").value = "";
    location.hash = hash + "&again=" + Math.random();
  }, hash);
  await frame(page);
}
async function openAnew(file, hash, width, scheme) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, offline: true });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.on("console", message => { if (["error", "warning"].includes(message.type())) errors.push(message.text()); });
  page.on("pageerror", error => errors.push(String(error)));
  page.on("request", request => { if (!request.url().startsWith("file:")) errors.push("asks for " + request.url()); });
  await page.goto("file://" + file + hash);
  await page.waitForFunction(() => document.querySelector("main").childElementCount > 0);
  return page;
}
const readOut = page => page.evaluate(() => ({ ...document.querySelector("[data-read]").dataset }));
const frame = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

const todo = {
  /// Hovers texels of a level: what is read out for each.
  async hover({ file, image, level, points, sizes }) {
    const page = await open(file, { hash: `#device=0&view=images&image=${image}` });
    await page.click(`[data-level="${level}"]`);
    if (sizes) await page.selectOption(".tools select >> nth=1", String(sizes));
    await frame(page);
    const said = [];
    for (const [fx, fy] of points) {
      const canvas = page.locator("canvas.tile");
      await canvas.scrollIntoViewIfNeeded();
      const box = await canvas.boundingBox();
      await page.mouse.move(box.x + fx * box.width, box.y + fy * box.height);
      said.push(await readOut(page));
    }
    // The strip of memory: the other way round.
    for (const fx of [0.03, 0.5, 0.97]) {
      const strip = page.locator("canvas.strip");
      await strip.scrollIntoViewIfNeeded();
      const box = await strip.boundingBox();
      await page.mouse.move(box.x + fx * box.width, box.y + 10);
      said.push(await readOut(page));
    }
    return said;
  },
  /// Types coordinates, then a byte: what is read out for each.
  async type({ file, image, level, texels }) {
    const page = await open(file, { hash: `#device=0&view=images&image=${image}` });
    await page.click(`[data-level="${level}"]`);
    const said = [];
    for (const [x, y] of texels) {
      await page.fill('[data-field="x"]', String(x));
      await page.fill('[data-field="y"]', String(y));
      await page.press('[data-field="y"]', "Enter");
      const by_texel = await readOut(page);
      await page.fill('[data-field="x"]', "0");
      await page.press('[data-field="x"]', "Enter");
      await page.fill('[data-field="byte"]', by_texel.offset);
      await page.press('[data-field="byte"]', "Enter");
      said.push({ by_texel, by_byte: await readOut(page) });
    }
    return said;
  },
  /// Every element of each of these subresources by the page's own functions, there and back.
  async tables({ file, parts }) {
    const page = await open(file);
    return page.evaluate(parts => parts.map(([image_layout, part, layer]) => {
      const image = report.image_layouts[image_layout], of = image.subresources[part];
      const model = modelOf(layoutOfPart(of, layer)), extent = extentOfPart(image, of);
      const offsets = [];
      let lost = 0, k = 0;
      for (let s = 0; s < extent[3]; s++)
        for (let z = 0; z < extent[2]; z++)
          for (let y = 0; y < extent[1]; y++)
            for (let x = 0; x < extent[0]; x++) {
              const at = [x, y, z, s], offset = offsetOf(model, at);
              offsets.push(offset);
              if (k++ % 17 === 0 && String(elementOf(model, extent, offset + model.element.bytes - 1)) !== String(at)) lost++;
            }
      return { offsets, lost };
    }), parts);
  },
  /// The picture's colours, without path and outlines: [x, y, r, g, b] of each square but the one with the cursor.
  async colors({ file, pattern, side }) {
    const page = await open(file, { hash: `#pattern=${pattern}` });
    await page.selectOption("[data-overlay]", "0");
    await page.uncheck("[data-path]");
    await frame(page);
    return page.evaluate(side => {
      const canvas = document.querySelector("canvas.tile"), unit = canvas.width / side;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const squares = [];
      for (let i = 1; i < side * side; i++) {
        const x = i % side, y = Math.floor(i / side);
        const pixel = 4 * (Math.round((y + 0.9) * unit) * canvas.width + Math.round((x + 0.9) * unit));
        squares.push([x, y, ...data.slice(pixel, pixel + 3)]);
      }
      return squares;
    }, side);
  },
  async keys({ file, pattern }) {
    const page = await open(file, { hash: `#pattern=${pattern}` });
    await page.focus("canvas.tile");
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    const moved = await readOut(page);
    await page.focus("canvas.strip");
    await page.keyboard.press("ArrowRight");
    const next = await readOut(page);
    await page.keyboard.press("/");
    return { moved, next, focused: await page.evaluate(() => document.activeElement.id) };
  },
  async search({ file, queries }) {
    const page = await open(file);
    const found = {};
    for (const query of queries) {
      await page.fill("#search", query);
      found[query] = await page.locator(".cards a").allInnerTexts();
    }
    await page.fill("#search", queries[0]);
    await page.press("#search", "Enter");
    await page.waitForSelector("h1");
    return { found, opened: await page.locator("h1").innerText() };
  },
  async copy({ file, pattern, hash, kind, language }) {
    const page = await open(file, { hash: hash ?? `#pattern=${pattern}` });
    await page.selectOption("[data-kind]", kind);
    await page.selectOption("[data-language]", language);
    await page.click("[data-copy]");
    await page.waitForFunction(() => document.body.innerText.includes("Copied."));
    return { copied: await page.evaluate(() => navigator.clipboard.readText()), shown: await page.locator("[data-code]").innerText() };
  },
  /// The rows of the figures of the first device.
  async figures({ file }) {
    const page = await open(file, { hash: "#device=0&view=timings" });
    return page.evaluate(() => [...document.querySelectorAll("[data-figures] tr")].map(row => [...row.cells].map(cell => cell.innerText)));
  },
  /// The file that "Save as SVG" gives.
  async save({ file, hash }) {
    const page = await open(file, { hash });
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("[data-save]")]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
  },
  async themes({ file }) {
    const said = [];
    for (const scheme of ["light", "dark"]) {
      const page = await open(file, { scheme });
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const before = await ground();
      await page.click("#theme");
      said.push([scheme, before, await ground()]);
      await page.context().close();
    }
    return said;
  },
  /// The first screen of a device, in a window of that width: its words, its row of bits, and what is hovered in its picture.
  async first({ file, hash = "", width = 1400, points = [] }) {
    const page = await open(file, { hash, width, scheme: "light" });
    const said = await page.evaluate(() => {
      const cells = row => [...row.cells].slice(1).map(cell => cell.innerText);
      const rows = [...document.querySelectorAll("[data-bits] tr")];
      return {
        warnings: [...document.querySelectorAll("main p.warn")].map(p => p.innerText),
        heading: document.querySelector("h2").innerText, formats: [...document.querySelectorAll(".tabs.small a")].map(a => a.innerText),
        source: document.querySelector("[data-gain]").dataset.source, gain: [...document.querySelectorAll("[data-gain] p")].map(p => p.innerText),
        bits: rows.filter((_, i) => i % 2 === 0).flatMap(cells), is: rows.filter((_, i) => i % 2).flatMap(cells),
        remap: document.querySelector("[data-remap]")?.innerText ?? "", code: document.querySelector("[data-code]").innerText,
        pictureTop: document.querySelector("canvas.tile").getBoundingClientRect().top,
        gains: [...document.querySelectorAll("[data-gains] tbody tr")].map(row => [...row.cells].map(cell => cell.textContent)),
      };
    });
    said.read = [];
    const canvas = page.locator("canvas.tile");
    await canvas.scrollIntoViewIfNeeded();
    for (const [fx, fy] of points) {
      const box = await canvas.boundingBox();
      await page.mouse.move(box.x + fx * box.width, box.y + fy * box.height);
      said.read.push(await readOut(page));
    }
    await page.context().close();
    return said;
  },
  /// The words that are explained, and what is said of each where the pointer is over it; none may leave the window.
  async words({ file, hash = "", width = 420 }) {
    const page = await open(file, { hash, width, scheme: "light" });
    const said = {};
    for (const word of await page.locator("[data-term]:visible").all()) {
      const name = await word.getAttribute("data-term");
      if (name in said) continue;
      await word.scrollIntoViewIfNeeded();
      await word.hover();
      const box = await page.locator("#tip").boundingBox();
      said[name] = [await page.locator("#tip").innerText(), box.x >= 0 && box.x + box.width <= width];
    }
    await page.context().close();
    return said;
  },
  /// Of two side by side: how many cells are of which relation, and the lines of those.
  async relations({ file, hash = "" }) {
    const page = await open(file, { hash });
    return page.evaluate(() => [...document.querySelectorAll("[data-relation]")].map(cell =>
      [cell.dataset.relation, cell.closest("tr").querySelector("th").title, cell.dataset.kind, cell.textContent]));
  },
  /// The cards of the first view: vendor, then the text of each card and the links in it.
  async cards({ file }) {
    const page = await open(file);
    return page.evaluate(() => [...document.querySelectorAll("[data-vendor]")].map(section =>
      [section.dataset.vendor, [...section.querySelectorAll(".cards li")].map(card =>
        [card.innerText, card.querySelectorAll("a").length, card.querySelectorAll("canvas").length])]));
  },
  /// The names of a chart's lines: whether each is within the chart, and has the colour of a line there.
  async legend({ file, hash, width }) {
    const page = await open(file, { hash, width, scheme: "dark" });
    const said = await page.evaluate(() => {
      const svg = document.querySelector(".chart svg"), room = svg.getBoundingClientRect();
      const colors = new Set([...svg.querySelectorAll("path, text.mark:not([data-line])")].map(node => node.getAttribute("stroke") ?? node.getAttribute("fill")));
      return { room: [room.left, room.right, document.documentElement.clientWidth], lines: [...svg.querySelectorAll("[data-line]")].map(text => {
        const box = text.getBoundingClientRect();
        return [text.textContent, box.left >= room.left - 1 && box.right <= room.right + 1 && box.bottom <= room.bottom + 1, colors.has(text.getAttribute("fill"))];
      }) };
    });
    await page.context().close();
    return said;
  },
  /// The text with the least contrast (WCAG 2) of a view, and that contrast.
  async contrast({ file, hash = "", width = 1400, scheme }) {
    const page = await open(file, { hash, width, scheme });
    const said = await page.evaluate(() => {
      const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      const over = (below, color) => {
        paint.canvas.width = paint.canvas.height = 1;
        paint.fillStyle = `rgb(${below})`, paint.fillRect(0, 0, 1, 1);
        paint.fillStyle = color, paint.fillRect(0, 0, 1, 1);
        return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      const groundOf = node => node ? over(groundOf(node.parentElement), getComputedStyle(node).backgroundColor) : [255, 255, 255];
      const light = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      let least = [Infinity, ""], count = 0;
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        const node = text.parentElement;
        if (!text.data.trim() || !node.checkVisibility() || /SCRIPT|STYLE|OPTION|TITLE/i.test(node.tagName)) continue;
        const ground = groundOf(node), style = getComputedStyle(node);
        const ink = over(ground, node instanceof SVGElement ? style.fill : style.color);
        const [a, b] = [light(ground), light(ink)].sort((x, y) => y - x), contrast = (a + 0.05) / (b + 0.05);
        count++;
        if (contrast < least[0]) least = [contrast, text.data];
      }
      return { least: least[0], text: least[1], count };
    });
    await page.context().close();
    return said;
  },
  async lanes({ file, pattern }) {
    const page = await open(file, { hash: `#pattern=${pattern}` });
    await page.check("[data-lanes]");
    return page.evaluate(id => laneTexels(report.patterns[patternNamed.get(id)].remap), pattern);
  },
  async names({ file }) {
    const page = await open(file);
    return { text: await page.locator("main").innerText(), scripts: await page.locator("script").count(), images: await page.locator("img").count() };
  },
  /// Every view of the page, for its errors; its width must be the window's. `folder`: for pictures of them.
  async walk({ file, views, widths, height = 900, folder }) {
    const said = [], page = await openAnew(file, "", widths[0], "light");
    for (const width of widths)
      for (const [name, hash, scheme] of views) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: scheme });
        await go(page, hash);
        said.push([name, width, await page.evaluate(() => document.documentElement.scrollWidth),
                   await page.evaluate(() => document.documentElement.dataset.theme)]);
        if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png` });
      }
    await page.context().close();
    return said;
  },
  /// Milliseconds until the first view stands, and those of them that the page's process was at work.
  async open({ file }) {
    const context = await browser.newContext(), page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    await page.goto("file://" + file);
    await page.waitForSelector("main h1");
    const { metrics } = await session.send("Performance.getMetrics");
    const load = await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
    await context.close();
    return { load_ms: load, process_ms: 1000 * metrics.find(m => m.name === "ProcessTime").value };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const answers = [];
  errors.length = 0;
  try {
    for (const question of JSON.parse(line)) answers.push(await todo[question.do](question));
  } catch (error) {
    errors.push(error.stack);
  }
  process.stdout.write(JSON.stringify({ answers, errors }) + "\n");
}
await browser.close();
