// Keeps count of the lines of a skill's own files that ran, with V8's precise coverage.
'use strict';

const fs = require('fs');
const path = require('path');
const { fileURLToPath } = require('url');

const files = new Map();
let session = null;
let root = '';
let note = '';

exports.begin = (folder) => {
  root = fs.realpathSync(folder) + path.sep;
  try {
    const inspector = require('inspector');
    session = new inspector.Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  } catch (err) {
    session = null;
    note = `no lines are counted: ${err && err.message}`;
  }
};

// Stop counting, and forget what was counted.
exports.end = () => {
  if (session !== null) session.disconnect();
  session = null;
  files.clear();
};

function own(url) {
  if (!url.startsWith('file://')) return null;
  let file;
  try { file = fs.realpathSync(fileURLToPath(url)); } catch (err) { return null; }
  const inner = file.startsWith(root) ? file.slice(root.length) : null;
  return inner && !inner.split(path.sep).includes('node_modules') ? inner : null;
}

// The lines of a file that hold code, each with the place of its first character.
function code(source) {
  const lines = [];
  let at = 0;
  let commented = false;
  source.split('\n').forEach((line, index) => {
    const text = line.trim();
    let counts = !commented && text !== '' && !text.startsWith('//') && !/^[{}()[\];,\s]*$/.test(text);
    if (commented) {
      commented = !text.includes('*/');
    } else if (text.startsWith('/*')) {
      counts = false;
      commented = !text.slice(2).includes('*/');
    }
    if (counts) lines.push({ number: index + 1, at: at + line.search(/\S/), ran: false });
    at += line.length + 1;
  });
  return lines;
}

function fileOf(inner) {
  let found = files.get(inner);
  if (found === undefined) {
    const source = fs.readFileSync(root + inner, 'utf8');
    found = { lines: code(source.charCodeAt(0) === 0xfeff ? source.slice(1) : source), told: new Set(), fresh: true };
    files.set(inner, found);
  }
  return found;
}

function counted(entry, file) {
  const ranges = entry.functions.flatMap((one) => one.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const line of file.lines) line.ran = false;
  for (const range of ranges) {  // from the outside to the inside, so that the innermost counts
    for (const line of file.lines) {
      if (range.startOffset <= line.at && line.at < range.endOffset) line.ran = range.count > 0;
    }
  }
  const ran = [];
  for (const line of file.lines) {
    if (line.ran && !file.told.has(line.number)) {
      file.told.add(line.number);
      ran.push(line.number);
    }
  }
  return ran;
}

exports.taken = () => {
  if (session === null) return note ? { notes: [note] } : undefined;
  const found = {};
  try {
    session.post('Profiler.takePreciseCoverage', (err, answer) => {
      if (err) throw err;
      for (const entry of answer.result) {
        const inner = own(entry.url);
        if (inner === null) continue;
        const file = fileOf(inner);
        const ran = counted(entry, file);
        if (ran.length || file.fresh) {
          found[inner] = { ran };
          if (file.fresh) found[inner].whole = file.lines.map((line) => line.number);
          file.fresh = false;
        }
      }
    });
  } catch (err) {
    return { notes: [`lines could not be counted: ${err && err.message}`] };
  }
  return { files: found };
};
