// ONNX Runtime as a contestant: `node onnx_runtime.js PACKAGE MODEL THREADS FOLDER` reads the inputs that FOLDER/inputs.json
// lists (name, dtype, shape, file) and prints a line when the model is ready. It answers each line that it reads, a number of
// runs, with the milliseconds of each run, by the processor and by the clock. The first output goes to FOLDER/output, its
// dtype and shape to FOLDER/output.json.
"use strict";
const fs = require("fs");
const readline = require("readline");
const [, , folder, model, threads, place] = process.argv;
const runtime = require(folder);

const TYPES = {float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array,
               int8: Int8Array, bool: Uint8Array};

function clock() {
    const used = process.cpuUsage();
    return [(used.user + used.system) / 1e3, Number(process.hrtime.bigint()) / 1e6];
}

(async () => {
    const session = await runtime.InferenceSession.create(model, {intraOpNumThreads: Number(threads), interOpNumThreads: 1,
                                                                  logSeverityLevel: 4});
    const feeds = {};
    for (const {name, dtype, shape, file} of JSON.parse(fs.readFileSync(`${place}/inputs.json`, "utf8"))) {
        const bytes = fs.readFileSync(file);
        const data = new TYPES[dtype](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
        feeds[name] = new runtime.Tensor(dtype, data, shape);
    }
    const first = (await session.run(feeds))[session.outputNames[0]];
    fs.writeFileSync(`${place}/output`, Buffer.from(first.data.buffer, first.data.byteOffset, first.data.byteLength));
    fs.writeFileSync(`${place}/output.json`, JSON.stringify({dtype: first.type, shape: first.dims}));
    console.log("ready");
    for await (const line of readline.createInterface({input: process.stdin})) {
        const times = [];
        for (let n = Number(line); n > 0; n--) {
            const before = clock();
            await session.run(feeds);
            const after = clock();
            times.push([after[0] - before[0], after[1] - before[1]]);
        }
        console.log(JSON.stringify(times));
    }
})();
