// What simdutf does in Node and Bun with the texts of kernels_bench -d, in the
// same columns. Usage: node peers.mjs FOLDER NAME [KERNEL,TEXT...]
import fs from 'node:fs';

const SAMPLES = 9;
const SAMPLE_NANOS = 6e6;
const KERNELS = {
  utf16_to_utf8: {from: 'utf16le', to: 'utf8', countsOutput: true},
  latin1_to_utf8: {from: 'latin1', to: 'utf8', countsOutput: true},
  base64_decode: {from: 'latin1', to: 'base64', countsOutput: false},
  hex_decode: {from: 'latin1', to: 'hex', countsOutput: false},
};
const [folder, name, ...only] = process.argv.slice(2);

function nanos(job, runs) {
  const begin = process.hrtime.bigint();
  for (let i = 0; i < runs; i++) {
    job();
  }
  return Number(process.hrtime.bigint() - begin);
}

function median(job) {
  let runs = 1;
  for (let took = nanos(job, 1); took < SAMPLE_NANOS; took = nanos(job, runs)) {
    runs = took < SAMPLE_NANOS / 100 ? runs * 10 : Math.ceil((runs * SAMPLE_NANOS * 1.1) / took);
  }
  nanos(job, runs * 10); // the engine's compilers
  const samples = Array.from({length: SAMPLES}, () => nanos(job, runs) / runs);
  return samples.sort((a, b) => a - b);
}

for (const file of only.length > 0 ? only : fs.readdirSync(folder).sort()) {
  const [kernel, text] = file.split(',');
  if (KERNELS[kernel] === undefined) {
    continue;
  }
  const {from, to, countsOutput} = KERNELS[kernel];
  const source = fs.readFileSync(`${folder}/${file}`);
  const string = source.toString(from);
  const target = Buffer.alloc(2 * source.length);
  const made = target.write(string, to);
  const samples = median(() => target.write(string, to));
  const bytes = countsOutput ? made : source.length;
  const [best, middle] = [samples[0], samples[SAMPLES >> 1]];
  const speeds = `${(bytes / middle).toFixed(2)},${(bytes / best).toFixed(2)}`;
  console.log(`${kernel},${name},${text},${source.length},${speeds},${middle.toFixed(1)}`);
}
