// Runs a Node handler in a process of its own, as Lambda would; started by Sparring alone.
// One JSON object per line comes on standard input. Answers go to standard output, each on a line
// that begins with a mark that the skill cannot know; whatever the skill prints is other lines.
'use strict';

const fs = require('fs');
const path = require('path');
const Module = require('module');
const readline = require('readline');
const { pathToFileURL } = require('url');
const { Worker } = require('worker_threads');

const cloud = require('./node_cloud.js');
const covering = require('./node_coverage.js');
const resetting = require('./node_reset.js');

const calls = [];
const store = {};
const notes = [];
const caught = [];
let start = null;
let pending = null;
let send = null;

const exit = process.exit.bind(process);

// A handler that never gives the event loop back must not outlive whoever started it. A guard around
// this process ends it anyway, and a thread costs a quarter of what starting Node does.
function endWithParent() {
  new Worker(
    `const { workerData } = require('worker_threads');
     setInterval(() => { try { process.kill(workerData.parent, 0); }
       catch (e) { if (e.code === 'ESRCH') process.kill(workerData.own, 'SIGKILL'); } }, 1000);`,
    { eval: true, workerData: { parent: process.ppid, own: process.pid } }
  ).unref();
}

function told(err) {
  const known = err instanceof Error || (err && typeof err === 'object' && 'message' in err);
  return {
    type: String((known && err.name) || typeof err).slice(0, 100),
    message: String(known ? err.message : typeof err === 'string' ? err : safe(err)).slice(0, 2000),
    trace: String((known && err.stack) || '').slice(0, 6000),
  };
}

function safe(value) {
  try { return JSON.stringify(value); } catch (e) { return String(value); }
}

// ---- one request ------------------------------------------------------------------------------

function finish(fields) {
  if (pending === null) {
    notes.push(fields.error ? `after its answer: ${fields.error.type}: ${fields.error.message}`
                            : 'it answered a second time');
    return;
  }
  const reply = { id: pending, calls: calls.splice(0, 50), store, notes: notes.splice(0, 20), caught: caught.splice(0, 10), ...fields };
  pending = null;
  if (start.coverage) reply.covered = covering.taken();
  let line;
  try {
    line = JSON.stringify(reply);
  } catch (err) {
    delete reply.response;
    line = JSON.stringify({ ...reply, error: { ...told(err), type: 'unserialisable' } });
  }
  send(line);
}

function done(err, response) {
  if (err !== null && err !== undefined) finish({ error: told(err) });
  else finish({ response: response === undefined ? null : response });
}

// A throw that belongs to no promise belongs to the request that is being answered.
process.on('uncaughtException', (err) => finish({ error: told(err), stray: true }));
process.on('unhandledRejection', (err) => finish({ error: told(err), stray: true }));
process.exit = (code) => { finish({ error: { type: 'Exit', message: `the handler ended its process (exit code ${code || 0})`, trace: '' } }); exit(code); };

function contextOf(request) {
  const until = Date.now() + start.timeout * 1000;
  return {
    awsRequestId: String((request.request || {}).requestId || '').slice(-36),
    functionName: 'sparring', functionVersion: '$LATEST', memoryLimitInMB: '512',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:sparring',
    logGroupName: '/aws/lambda/sparring', logStreamName: 'sparring',
    callbackWaitsForEmptyEventLoop: true, identity: undefined, clientContext: undefined,
    getRemainingTimeInMillis: () => Math.max(0, until - Date.now()),
    succeed: (response) => done(null, response),
    fail: (err) => done(err === undefined || err === null ? new Error('context.fail() was called') : err),
    done,
  };
}

function answer(handler, message) {
  pending = message.id;
  const id = message.id;
  const once = (err, response) => { if (pending === id) done(err, response); else notes.push('it answered a second time'); };
  try {
    const found = handler(message.request, contextOf(message.request), once);
    if (found && typeof found.then === 'function') {
      found.then((response) => { if (pending === id) done(null, response); },
                 (err) => { if (pending === id) done(err === undefined || err === null ? new Error('rejected without a reason') : err); });
    }
  } catch (err) {
    done(err === undefined || err === null ? new Error('thrown without a reason') : err);
  }
}

// ---- what is around the handler ---------------------------------------------------------------

function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function moveClock(now) {
  const Real = Date;
  const shift = now * 1000 - Real.now();
  class Moved extends Real {
    constructor(...parts) { if (parts.length) super(...parts); else super(Real.now() + shift); }
    static now() { return Real.now() + shift; }
  }
  global.Date = new Proxy(Moved, { apply: () => new Moved().toString() });
}

async function load() {
  for (const name of Object.keys(store)) delete store[name];
  if (start.reuse) resetting.follow(!start.coverage);
  if (start.coverage) covering.begin(start.folder);
  process.chdir(start.folder);
  process.env.NODE_PATH = [start.root, process.env.NODE_PATH].filter(Boolean).join(path.delimiter);
  Module._initPaths();
  process.argv[1] = start.file;
  Object.assign(store, start.store);
  if (start.seed !== null) Math.random = seeded(start.seed);
  if (start.now !== null) moveClock(start.now);
  cloud.guard({ cut: start.network !== 'allow', service: start.service, calls });
  cloud.patch(store, (err) => { if (caught.length < 10) caught.push(told(err)); });
  let found;
  try {
    found = require(start.file);
    if (found && typeof found.then === 'function') found = await found;
  } catch (err) {
    if (!err || !['ERR_REQUIRE_ESM', 'ERR_REQUIRE_ASYNC_MODULE'].includes(err.code)
        && !(err instanceof SyntaxError && /import|export|await/.test(String(err.message)))) throw err;
    resetting.refuse('it is an ES module');
    found = await import(pathToFileURL(start.file).href);
  }
  const handler = found[start.function] || (found.default && found.default[start.function]) || (start.function === 'handler' && typeof found === 'function' ? found : undefined);
  if (typeof handler !== 'function') throw new TypeError(`the module exports no function ${safe(start.function)}`);
  if (start.seed !== null) Math.random = seeded(start.seed);
  return handler;
}

// ---- lines --------------------------------------------------------------------------------------

function writeAll(text) {
  const bytes = Buffer.from(text);
  let at = 0;
  while (at < bytes.length) {
    try { at += fs.writeSync(1, bytes, at); } catch (err) { if (err.code !== 'EAGAIN') throw err; }
  }
}

// ---- the lines that come ------------------------------------------------------------------------

let handler = null;

function begin(message) {
  const isFirst = start === null;
  start = message;
  if (isFirst && !start.guarded) endWithParent();
  if (isFirst && start.reuse) resetting.begin(start.isolated);
  send = (text) => writeAll(`\n${start.mark}${text}\n`);
  const { id } = start;
  pending = id;
  load().then(
    (found) => { handler = found; pending = null; notes.length = 0; send(JSON.stringify({ id, covered: covering.taken() })); },
    (err) => { pending = null; send(JSON.stringify({ id, error: told(err), covered: covering.taken(), version: process.versions.node })); exit(0); });
}

// Make ready for the next conversation of the skill, which sends a first line again.
async function reset({ id }) {
  covering.end();
  handler = null;
  const why = await resetting.reset(module, start.memory);
  for (const list of [calls, notes, caught]) list.length = 0;
  send(JSON.stringify({ id, why }));
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.close) exit(0);
  else if (message.reset) reset(message);
  else if (message.request === undefined) begin(message);
  else answer(handler, message);
}).on('close', () => exit(0));
