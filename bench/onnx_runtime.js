// ONNX Runtime as a contestant of models.py: `node onnx_runtime.js PACKAGE MODEL THREADS INPUT` reads the f32 input from a
// file and prints a line when the model is ready. It answers each line that it reads, a number of runs, with the milliseconds
// of each run, by the processor and by the clock. The first result goes to INPUT.out.
"use strict";
const fs = require("fs");
const readline = require("readline");
const [, , folder, model, threads, input] = process.argv;
const runtime = require(folder);

function clock() {
    const used = process.cpuUsage();
    return [(used.user + used.system) / 1e3, Number(process.hrtime.bigint()) / 1e6];
}

(async () => {
    const session = await runtime.InferenceSession.create(model, {intraOpNumThreads: Number(threads), interOpNumThreads: 1,
                                                                  logSeverityLevel: 4});
    const given = JSON.parse(fs.readFileSync(`${input}.json`, "utf8"));
    const bytes = fs.readFileSync(input);
    const data = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const feeds = {[given.name]: new runtime.Tensor("float32", data, given.shape)};
    const first = (await session.run(feeds))[session.outputNames[0]].data;
    fs.writeFileSync(`${input}.out`, Buffer.from(first.buffer, first.byteOffset, first.byteLength));
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
