// Takes a Node process back to where it was before it loaded a skill, so that the next conversation
// finds nothing of the one before. What cannot be taken back is told: then the process has to end.
'use strict';

const EventEmitter = require('events');
const fs = require('fs');
const Module = require('module');
const os = require('os');
const timers = require('timers');

const compiled = require('./node_compiled.js');

const { clearImmediate, clearTimeout, setImmediate } = timers;

// A process that has grown to this part of its memory is not used again: no skill is to be ended for
// what conversations before it took.
const MOST_MEMORY = 1 / 3;
// Properties of `process` that change by themselves, or are taken back in their own way.
const OWN_WAY = new Set(['_events', '_eventsCount', 'env', 'argv', 'exitCode', 'stdout', 'stderr', 'stdin']);
// Modules of Node's own that change the whole process.
const LASTING = new Set(['async_hooks', 'cluster', 'diagnostics_channel', 'inspector', 'repl', 'trace_events', 'v8']);
const SETTERS = ['setTimeout', 'setInterval', 'setImmediate'];

const objects = new Map();
const kept = new Set(Object.keys(require.cache));
const pending = new Set();
let listeners = new Map();
let environment = {};
let resources = {};
let files = {};
let reason = '';

const isObject = (value) => value !== null && (typeof value === 'object' || typeof value === 'function');

// Note what an object has, and so its prototype if it is a class.
function note(object, skipped = new Set()) {
  if (!isObject(object) || objects.has(object)) return;
  const properties = new Map();
  for (const key of Reflect.ownKeys(object)) {
    if (!skipped.has(key)) properties.set(key, Reflect.getOwnPropertyDescriptor(object, key));
  }
  objects.set(object, { properties, skipped, open: Object.isExtensible(object) });
  if (typeof object === 'function') note(Reflect.getOwnPropertyDescriptor(object, 'prototype')?.value);
}

// Note the exports of a module of Node's own, with its classes, before a skill sees them.
exports.noteBuiltin = (found) => {
  if (!isObject(found) || objects.has(found)) return;
  note(found);
  for (const { value } of [...objects.get(found).properties.values()]) if (isObject(value)) note(value);
};

function restore(object, { properties, skipped, open }) {
  for (const key of Reflect.ownKeys(object)) {
    if (!skipped.has(key) && !properties.has(key) && !Reflect.deleteProperty(object, key)) return false;
  }
  for (const [key, old] of properties) {
    const now = Reflect.getOwnPropertyDescriptor(object, key);
    const isSame = now && ['value', 'get', 'set', 'writable', 'enumerable', 'configurable'].every((name) => Object.is(now[name], old[name]));
    if (!isSame && !Reflect.defineProperty(object, key, old)) return false;
  }
  return Object.isExtensible(object) === open;
}

// Timers that a skill starts are ended with its conversation; `timers` and the globals are one.
function followTimers() {
  for (const name of SETTERS) {
    const original = global[name];
    const followed = (callback, ...rest) => {
      const once = name === 'setInterval' || typeof callback !== 'function' ? callback
        : function run(...args) { pending.delete(timer); return callback.apply(this, args); };
      const timer = original(once, ...rest);
      pending.add(timer);
      return timer;
    };
    Object.defineProperties(followed, { ...Object.getOwnPropertyDescriptors(original), name: { value: name } });
    global[name] = followed;
    timers[name] = followed;
  }
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) {
    const original = global[name];
    const followed = (timer) => { pending.delete(timer); original(timer); };
    Object.defineProperty(followed, 'name', { value: name });
    global[name] = followed;
    timers[name] = followed;
  }
}

function endTimers() {
  // A timer may be cleared as any kind of timer but an immediate.
  for (const timer of pending) { clearTimeout(timer); clearImmediate(timer); }
  pending.clear();
}

// `aws-sdk` loads `domain`, which replaces for ever how events are sent, and never uses one. What it
// replaces is kept; a skill that makes a domain gets a process of its own.
function withDomains(load) {
  const changed = [EventEmitter, EventEmitter.prototype, process];
  const before = changed.map((object) => Object.getOwnPropertyDescriptors(object));
  const found = load();
  changed.forEach((object, at) => {
    const { properties } = objects.get(object);
    for (const [key, now] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      const old = before[at][key];
      if (!old || old.value !== now.value || old.get !== now.get) properties.set(key, now);
    }
  });
  exports.noteBuiltin(found);
  const { create, Domain } = found;
  found.create = found.createDomain = (...args) => { reason = 'it uses domains'; return create(...args); };
  found.Domain = class extends Domain { constructor() { super(); reason = 'it uses domains'; } };
  return found;
}

// What a skill loads is noted or refused: a module of the other kind stays loaded for ever.
function followModules(keepsCode) {
  const compile = Module.prototype._compile;
  Module.prototype._compile = function followed(content, filename, ...rest) {
    if (keepsCode && rest[0] !== 'module' && compiled.run(this, content, filename)) return undefined;
    if (/\bimport\s*\(/.test(content)) reason = reason || 'it may load ES modules';
    return compile.call(this, content, filename, ...rest);
  };
  const native = Module._extensions['.node'];
  Module._extensions['.node'] = function followed(...args) {
    reason = 'it loads native code';
    return native.apply(this, args);
  };
  const load = Module._load;
  Module._load = function followed(request, ...rest) {
    const name = String(request).replace(/^node:/, '');
    const original = () => load.call(this, request, ...rest);
    const found = name === 'domain' ? withDomains(original) : original();
    if (LASTING.has(name)) reason = reason || `it uses ${name}`;
    if (Module.builtinModules.includes(name)) exports.noteBuiltin(found);
    return found;
  };
}

const countedResources = () => {
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] || 0) + 1;
  return counts;
};

function listed(folder) {
  try { return fs.readdirSync(folder).sort().join('\n'); } catch (err) { return ''; }
}

const writable = () => [...new Set([os.tmpdir(), os.homedir(), '/dev/shm'])];

// Called once, before anything of a skill is loaded; `isOwn` says that nobody else writes files here.
exports.begin = (isOwn) => {
  note(global);
  for (const { value } of [...objects.get(global).properties.values()]) {
    if (value !== global && value !== process) note(value);
  }
  note(process, OWN_WAY);
  for (const hidden of [Object.getPrototypeOf(Int8Array), Object.getPrototypeOf([][Symbol.iterator]()),
    Object.getPrototypeOf(async () => {}), Object.getPrototypeOf(function* all() {}), Object.getPrototypeOf(process)]) note(hidden);
  for (const name of ['assert', 'buffer', 'child_process', 'crypto', 'dns', 'events', 'fs', 'http', 'https', 'module', 'net', 'os',
    'path', 'querystring', 'readline', 'stream', 'timers', 'tls', 'url', 'util', 'worker_threads']) {
    if (process.moduleLoadList.includes(`NativeModule ${name}`)) exports.noteBuiltin(require(name));
  }
  note(Module._extensions);
  listeners = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  environment = { ...process.env };
  // A pipe is opened when one of these is used first, which any skill that prints does.
  for (const stream of [process.stdout, process.stderr]) note(stream, new Set(Reflect.ownKeys(stream)));
  resources = countedResources();
  if (isOwn) files = Object.fromEntries(writable().map((folder) => [folder, listed(folder)]));
};

// Called before each skill is loaded. `keepsCode` says that its files are compiled once: V8 counts
// no lines of code that it has compiled before it was told to count.
exports.follow = (keepsCode) => { reason = ''; followModules(keepsCode); followTimers(); };

// Called if the skill was loaded as an ES module.
exports.refuse = (why) => { reason = reason || why; };

function restoreProcess(own) {
  for (const name of process.eventNames()) {
    process.removeAllListeners(name);
    for (const listener of listeners.get(name) || []) process.on(name, listener);
  }
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (process.env[name] !== value) process.env[name] = value;
  process.exitCode = undefined;
  process.argv.length = 2;
  for (const name of Object.keys(require.cache)) if (!kept.has(name)) delete require.cache[name];
  own.children.length = 0;
}

function leftover(memory) {
  const now = countedResources();
  const running = Object.keys(now).find((kind) => now[kind] > (resources[kind] || 0));
  if (running) return `something still runs (${running})`;
  if (process.memoryUsage.rss() > memory * MOST_MEMORY) return 'it takes much memory';
  const changed = Object.keys(files).find((folder) => listed(folder) !== files[folder]);
  return changed ? `it left files in ${changed}` : '';
}

// Take everything back; resolves to why the process cannot be used again, or to nothing.
exports.reset = async (own, memory) => {
  if (reason) return reason;
  endTimers();
  for (const [object, old] of objects) if (!restore(object, old)) return 'what it changed cannot be taken back';
  restoreProcess(own);
  for (const library of ['http', 'https']) require(library).globalAgent.destroy();
  // Handles are closed in the turn after the one that ends them.
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => { setImmediate(resolve); });
  endTimers();
  return leftover(memory);
};
