// The worker for Node and Bun; CompareWorker.java tells what a worker does.
//
//   node worker.mjs CONTENDER FOLDER
//
// CONTENDER is "fs", or "write-file-atomic" for what the npm package does.
import fs from 'node:fs';
import readline from 'node:readline';
import {createRequire} from 'node:module';

const MOST_BYTES = 32 * 1024 * 1024;
const [contender, folder] = process.argv.slice(2);
const file = `${folder}/file`;
const packages = process.env.WORKER_MODULES;
const writeFileAtomic =
  contender === 'write-file-atomic' &&
  createRequire(`${packages}/`)('write-file-atomic');

const isSame = (bytes, text) => bytes.equals(Buffer.from(text));

/** What each work does, i counting the calls; nothing where the contender can't. */
const WORKS = {
  fs: {
    overwrite: (text) => () => fs.writeFileSync(file, text),
    create: (text) => (i) => fs.writeFileSync(`${folder}/new${i}`, text),
    append: (text) => () => fs.appendFileSync(file, text),
    lines: (text) => {
      const lines = text.split(/(?<=\n)/);
      return (i) => fs.appendFileSync(file, lines[i % lines.length]);
    },
    descriptor: (text, fd) => () => fs.writeFileSync(fd, text),
    base64: (text) => () => fs.writeFileSync(file, text, 'base64'),
    flush: (text) => () => fs.writeFileSync(file, text, {flush: true}),
    unchanged: (text) => () => {
      if (!isSame(fs.readFileSync(file), text)) {
        fs.writeFileSync(file, text);
      }
    },
  },
  'write-file-atomic': {
    atomic: (text) => () => writeFileAtomic.sync(file, text, {fsync: false}),
    'atomic-durable': (text) => () => writeFileAtomic.sync(file, text, {fsync: true}),
  },
};

let job;
let fd;
let bytes;
let work;

function begin(name, textFile, byteCount, threads) {
  const make = WORKS[contender][name];
  if (make === undefined) {
    return 'no way to do this in one call or two';
  }
  if (threads !== '1') {
    return 'no second thread without a copy of the text';
  }
  work = name;
  bytes = Number(byteCount);
  const text = fs.readFileSync(textFile, 'utf8');
  fs.copyFileSync(`${textFile}.bytes`, file);
  fd = name === 'descriptor' ? fs.openSync(file, 'a') : -1;
  job = make(text, fd);
  return 'ok';
}

function run(count) {
  const grows = ['append', 'descriptor', 'lines'].includes(work);
  if (grows && fs.statSync(file).size + count * bytes > MOST_BYTES) {
    fs.truncateSync(file, 0);
  }
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) {
    job(i);
  }
  const nanos = process.hrtime.bigint() - start;
  if (work === 'create') {
    fs.renameSync(`${folder}/new0`, file);
    for (let i = 1; i < count; i++) {
      fs.unlinkSync(`${folder}/new${i}`);
    }
  }
  return nanos;
}

function end() {
  if (fd >= 0) {
    fs.closeSync(fd);
  }
  return 'ok';
}

for await (const line of readline.createInterface({input: process.stdin})) {
  const [command, ...rest] = line.split('\t');
  let answer;
  try {
    answer =
      command === 'begin' ? begin(...rest) : command === 'run' ? run(Number(rest[0])) : end();
  } catch (e) {
    answer = `failed ${e}`;
  }
  fs.writeSync(1, `${answer}\n`);
}
