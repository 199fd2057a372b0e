// KTX2 by npm's ktx-parse (tools/deps --test): what a file holds, and a file of one's own.
//   node ktx_parse.mjs MODULE read FILE DATA          prints the header as JSON; the levels' bytes, from level 0 on, go to DATA
//   node ktx_parse.mjs MODULE write FILE DATA HEADER  writes a file of that header (JSON) and DATA
import { readFileSync, writeFileSync } from "node:fs";

const [module, verb, file, data, text] = process.argv.slice(2);
const { createDefaultContainer, read, write } = await import(module);
if (verb === "read") {
    const container = read(new Uint8Array(readFileSync(file)));
    writeFileSync(data, Buffer.concat(container.levels.map((level) => level.levelData)));
    const { levels, globalData, keyValue, ...header } = container;
    console.log(JSON.stringify({ ...header, levels: levels.map((level) => level.levelData.byteLength), writer: keyValue.KTXwriter }));
} else {
    const { levels, ...header } = JSON.parse(text);
    const container = Object.assign(createDefaultContainer(), header);
    const bytes = new Uint8Array(readFileSync(data));
    let at = 0;
    container.levels = levels.map((length) => {
        const levelData = bytes.slice(at, (at += length));
        return { levelData, uncompressedByteLength: length };
    });
    writeFileSync(file, write(container));
}
