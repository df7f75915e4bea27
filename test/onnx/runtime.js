// Runs models with ONNX Runtime: `node runtime.js PACKAGE LIST` for a list of {model, inputs: [{name, type, shape, file}],
// out}. Raw results go to the files OUT.0, OUT.1, ...; what they are, or why there are none, to LIST.done.
"use strict";
const fs = require("fs");
const [, , folder, list] = process.argv;
const runtime = require(folder);
const ARRAYS = {
    float32: Float32Array, float64: Float64Array, float16: Uint16Array, bfloat16: Uint16Array, bool: Uint8Array,
    int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
    int64: BigInt64Array, uint64: BigUint64Array,
};

async function run(job) {
    const session = await runtime.InferenceSession.create(job.model, {intraOpNumThreads: 1, logSeverityLevel: 4});
    const feeds = {};
    for (const i of job.inputs) {
        const bytes = fs.readFileSync(i.file);
        const data = new ARRAYS[i.type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
        feeds[i.name] = new runtime.Tensor(i.type, data, i.shape);
    }
    const results = await session.run(feeds);
    return session.outputNames.map((name, k) => {
        const {data, dims, type} = results[name];
        fs.writeFileSync(`${job.out}.${k}`, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
        return {type, shape: dims};
    });
}

(async () => {
    const done = [];
    for (const job of JSON.parse(fs.readFileSync(list, "utf8"))) {
        try {
            done.push({outputs: await run(job)});
        } catch (fault) {
            done.push({fault: String(fault.message || fault).slice(0, 400)});
        }
        fs.writeFileSync(`${list}.done`, JSON.stringify(done));
    }
})();
