// Runs compute shaders in WGSL through Dawn: node wgsl_run.mjs FOLDER
//   FOLDER/jobs.json  {"dawn": path of the package webgpu,
//                      "jobs": [{"code": WGSL, "calls": [{"count": N, "parameters": [a, b, c, d], "in": words, "out": words}]}]}
//   FOLDER/in.bin     the arguments of all calls, one after the other: 32-bit words
//   FOLDER/out.bin    the results likewise (written); zeros where a job failed
//   stdout            {"adapter": name, "errors": [null or the reason, for each job]}
// A shader has the entry point `main` with 64 invocations a workgroup; arguments at binding 0, results at 1, and at 2
// the uniform words count, a, b, c, d. A call may instead be {"image": {"format": .., "bytes": of a texel, "width": W,
// "height": H, "groups": [X, Y, Z]}, "in": words, "out": words}: the result's texture at binding 0, the source's at 1, a
// buffer of W x H words at 2. In is the source; out are the result's rows, each of a multiple of 256 bytes, and that buffer.
// Or {"passes": [{"entry": function, "bindings": [name, {"uniform": [words]} or null, in their order], "groups": [X, Y, Z]}],
// "textures": {name: {"format": .., "bytes": of a texel, "width": W, "height": H}}, "buffers": {name: words},
// "source": the texture that in is put into, "result": what out is read from}: dispatches one after the other.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const folder = process.argv[2];
const { dawn, jobs } = JSON.parse(readFileSync(`${folder}/jobs.json`, 'utf8'));
const { create, globals } = await import(pathToFileURL(`${dawn}/index.js`).href);
Object.assign(globalThis, globals);

// Kept where it is not collected as garbage: everything else rests on it.
globalThis.gpu = create([]);
const adapter = await gpu.requestAdapter({ forceFallbackAdapter: true });
if (!adapter) throw new Error('Dawn found no adapter');
const device = await adapter.requestDevice();

const bytes = readFileSync(`${folder}/in.bin`);
const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
const results = new Uint32Array(jobs.flatMap(job => job.calls).reduce((sum, call) => sum + call.out, 0));

const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
const buffers = new Map();
/** A buffer that is kept and reused: the largest that this use has needed. */
function buffer(name, size, usage) {
    const known = buffers.get(name);
    if (known && known.size >= size) return known;
    known?.destroy();
    const made = device.createBuffer({ size: Math.max(65536, 2 ** Math.ceil(Math.log2(size))), usage });
    buffers.set(name, made);
    return made;
}

async function ask(pipeline, call, input) {
    const from = buffer('in', call.in * 4, STORAGE | COPY_DST);
    const to = buffer('out', call.out * 4, STORAGE | COPY_SRC);
    const read = buffer('read', call.out * 4, MAP_READ | COPY_DST);
    const uniform = buffer('uniform', 20, UNIFORM | COPY_DST);
    device.queue.writeBuffer(from, 0, input);
    device.queue.writeBuffer(uniform, 0, new Uint32Array([call.count, ...call.parameters]));
    const group = device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [from, to, uniform].map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(call.count / 64));
    pass.end();
    encoder.copyBufferToBuffer(to, 0, read, 0, call.out * 4);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ, 0, call.out * 4);
    const answer = new Uint32Array(read.getMappedRange(0, call.out * 4)).slice();
    read.unmap();
    return answer;
}

async function draw(pipeline, { image, out }, input) {
    const size = [image.width, image.height], pitch = Math.ceil(image.width * image.bytes / 256) * 256;
    const texture = usage => device.createTexture({ size, format: image.format, usage });
    const source = texture(GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST);
    const result = texture(GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC);
    const counts = device.createBuffer({ size: image.width * image.height * 4, usage: STORAGE | COPY_SRC });
    const read = device.createBuffer({ size: out * 4, usage: MAP_READ | COPY_DST });
    device.queue.writeTexture({ texture: source }, input, { bytesPerRow: image.width * image.bytes }, size);
    const group = device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [result.createView(), source.createView(), { buffer: counts }].map((resource, binding) => ({ binding, resource })),
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...image.groups);
    pass.end();
    encoder.copyTextureToBuffer({ texture: result }, { buffer: read, bytesPerRow: pitch }, size);
    encoder.copyBufferToBuffer(counts, 0, read, pitch * image.height, counts.size);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    return new Uint32Array(read.getMappedRange());
}

async function dispatch(module, call, input) {
    const all = new Map();
    for (const [name, { format, bytes, width, height }] of Object.entries(call.textures)) {
        const texture = device.createTexture({ size: [width, height], format, usage:
            GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC |
            (name == call.source ? 0 : GPUTextureUsage.STORAGE_BINDING) });
        if (name == call.source) device.queue.writeTexture({ texture }, input, { bytesPerRow: width * bytes }, [width, height]);
        all.set(name, texture);
    }
    for (const [name, count] of Object.entries(call.buffers))
        all.set(name, device.createBuffer({ size: count * 4, usage: STORAGE | COPY_SRC }));
    const read = device.createBuffer({ size: call.out * 4, usage: MAP_READ | COPY_DST });
    const encoder = device.createCommandEncoder(), pipelines = new Map();
    for (const { entry, bindings, groups } of call.passes) {
        if (!pipelines.has(entry))
            pipelines.set(entry, await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: entry } }));
        const pipeline = pipelines.get(entry);
        const entries = bindings.flatMap((bound, binding) => {
            if (!bound) return [];
            if (bound.uniform) {
                const buffer = device.createBuffer({ size: 64, usage: UNIFORM | COPY_DST });
                device.queue.writeBuffer(buffer, 0, new Uint32Array(bound.uniform));
                return { binding, resource: { buffer } };
            }
            const resource = all.get(bound);
            return { binding, resource: call.textures[bound] ? resource.createView() : { buffer: resource } };
        });
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
        pass.dispatchWorkgroups(...groups);
        pass.end();
    }
    const result = call.textures[call.result];
    if (result) {
        const bytesPerRow = Math.ceil(result.width * result.bytes / 256) * 256;
        encoder.copyTextureToBuffer({ texture: all.get(call.result) }, { buffer: read, bytesPerRow }, [result.width, result.height]);
    } else {
        encoder.copyBufferToBuffer(all.get(call.result), 0, read, 0, call.out * 4);
    }
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    return new Uint32Array(read.getMappedRange());
}

const errors = [];
let at_in = 0, at_out = 0;
for (const job of jobs) {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: job.code });
    const messages = (await module.getCompilationInfo()).messages;
    const complaint = messages.map(m => `${m.lineNum}:${m.linePos} ${m.type}: ${m.message}`).join('\n');
    let pipeline = null, reason = complaint || null;
    const by_passes = job.calls.some(call => call.passes);
    if (!reason && !by_passes) {
        try {
            pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
        } catch (error) {
            reason = error.message;
        }
    }
    if (!reason && by_passes) {
        let at = at_in, to = at_out;
        try {
            for (const call of job.calls) {
                results.set(await dispatch(module, call, words.subarray(at, at + call.in)), to);
                at += call.in;
                to += call.out;
            }
        } catch (error) {
            reason = error.message;
        }
    }
    const invalid = await device.popErrorScope();
    errors.push(reason ?? invalid?.message ?? null);
    for (const call of job.calls) {
        const input = words.subarray(at_in, at_in + call.in);
        if (pipeline) results.set(await (call.image ? draw : ask)(pipeline, call, input), at_out);
        at_in += call.in;
        at_out += call.out;
    }
}
writeFileSync(`${folder}/out.bin`, results);
console.log(JSON.stringify({ adapter: adapter.info.description || adapter.info.device, errors }));
// Dawn's threads would keep the process alive.
process.exit(0);
