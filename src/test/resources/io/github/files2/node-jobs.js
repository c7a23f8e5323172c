// Does the jobs of NodeDifferenceTest with Node's own fs. Reads lines of a path, a tab and a job
// (NodeJob.java tells its form), and answers each with a line: what every step ended with.
'use strict';
const fs = require('fs');
const readline = require('readline');

const NOBODY = 65534;

const isRoot = process.getuid() === 0;

function fieldsOf(part) {
  const fields = {};
  for (const field of part.split(',')) {
    const equals = field.indexOf('=');
    if (equals > 0) {
      fields[field.slice(0, equals)] = field.slice(equals + 1);
    }
  }
  return fields;
}

function textOf(recipe) {
  let text = '';
  for (const run of recipe ? recipe.split('.') : []) {
    const [hex, count] = run.split('*');
    let units = '';
    for (let i = 0; i < hex.length; i += 4) {
      units += String.fromCharCode(parseInt(hex.slice(i, i + 4), 16));
    }
    text += units.repeat(Number(count));
  }
  return text;
}

function modeOf(fields) {
  return 'modeText' in fields ? fields.modeText : parseInt(fields.mode, 8);
}

// Keys that a job does not name stay away, as Node tells them from undefined ones at places.
function optionsOf(step) {
  const options = {};
  if ('flag' in step) options.flag = step.flag;
  if ('enc' in step) options.encoding = step.enc;
  if ('mode' in step || 'modeText' in step) options.mode = modeOf(step);
  if ('flush' in step) options.flush = step.flush === 'true';
  return Object.keys(options).length > 0 ? options : undefined;
}

function outcomeOf(action) {
  try {
    return 'ok ' + action();
  } catch (e) {
    return typeof e.code === 'string' && e.code.startsWith('ERR_')
      ? 'ARG'
      : `${e.code} ${e.syscall}`;
  }
}

function doStep(target, step) {
  const text = textOf(step.text);
  const isText = !('data' in step);
  const data = isText ? text : Buffer.from(text, 'latin1');
  (step.op === 'append' ? fs.appendFileSync : fs.writeFileSync)(target, data, optionsOf(step));
  return isText ? Buffer.from(text, step.enc || 'utf8').length : data.length;
}

function doJob(path, job) {
  const parts = job.split('|');
  const setup = fieldsOf(parts[0]);
  const steps = parts.slice(1).map(fieldsOf);
  const umask = process.umask(parseInt(setup.umask || '022', 8));
  if (isRoot && setup.user === 'nobody') {
    process.setegid(NOBODY);
    process.seteuid(NOBODY);
  }
  const outcomes = [];
  try {
    let target = path;
    if ('open' in setup) {
      const mode = 'mode' in setup || 'modeText' in setup ? modeOf(setup) : undefined;
      const opened = outcomeOf(() => {
        target = fs.openSync(path, setup.open, mode);
        return 0;
      });
      outcomes.push(opened);
      if (!opened.startsWith('ok')) {
        return outcomes;
      }
    }
    for (const step of steps) {
      outcomes.push(outcomeOf(() => doStep(target, step)));
    }
    if (typeof target === 'number') {
      fs.closeSync(target);
    }
    return outcomes;
  } finally {
    if (isRoot && setup.user === 'nobody') {
      process.seteuid(0);
      process.setegid(0);
    }
    process.umask(umask);
  }
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const tab = line.indexOf('\t');
  const outcomes = doJob(line.slice(0, tab), line.slice(tab + 1));
  fs.writeSync(1, outcomes.join('|') + '\n');
});
