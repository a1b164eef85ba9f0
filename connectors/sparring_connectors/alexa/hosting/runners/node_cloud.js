// Stands for Amazon's cloud in a Node skill: persistence adapters, DynamoDB's document client,
// the service API of Alexa, and a network that may be cut. Loaded by the runner.
'use strict';

const dns = require('dns');
const fs = require('fs');
const http = require('http');
const https = require('https');
const Module = require('module');
const net = require('net');
const path = require('path');

const near = (host) => !host || ['localhost', '127.0.0.1', '::1'].includes(host);

function refused(host) {
  const err = new Error(`the network is cut by Sparring: ${host} cannot be reached`);
  err.code = 'ENETUNREACH';
  err.hostname = host;
  return err;
}

// ---- network --------------------------------------------------------------------------------------

exports.guard = ({ cut, service, calls }) => {
  const note = (host, port) => {
    const place = port ? `${host}:${port}` : String(host);
    if (!calls.includes(place)) calls.push(place);
  };
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function guarded(...args) {
    const first = Array.isArray(args[0]) ? args[0][0] : args[0];
    const options = first && typeof first === 'object' ? first : { port: first, host: typeof args[1] === 'string' ? args[1] : '' };
    if (!options.path && !near(options.host)) {
      note(options.host, options.port);
      if (cut) {
        process.nextTick(() => this.destroy(refused(options.host)));
        return this;
      }
    }
    return connect.apply(this, args);
  };
  const lookup = dns.lookup;
  dns.lookup = function guarded(host, ...rest) {
    if (cut && !near(host)) {
      const callback = rest[rest.length - 1];
      if (typeof callback === 'function') process.nextTick(callback, refused(host));
      return {};
    }
    return lookup.call(dns, host, ...rest);
  };
  if (service) redirect(service);
};

// Requests to Alexa's own service API, or to all hosts (`service.all`), go to the stand-in on the
// loopback. Above TLS: a skill that pins a certificate reaches the stand-in all the same.
function redirect(service) {
  const isServed = (host) => host === service.host || (service.all && !near(host));
  const parts = (first, second) => {
    if (typeof first === 'string' || first instanceof URL) {
      const url = new URL(String(first));
      const more = second && typeof second === 'object' ? second : {};
      return { protocol: url.protocol, hostname: url.hostname, port: url.port, path: url.pathname + url.search, ...more };
    }
    return { ...(first || {}) };
  };
  // Headers may be an object, pairs, or a flat list; without a list Node adds no Host of its own.
  const withHost = (headers, host) => {
    if (!Array.isArray(headers)) return { ...headers, 'x-sparring-host': host };
    return [...headers, ...(Array.isArray(headers[0]) ? [['x-sparring-host', host]] : ['x-sparring-host', host])];
  };
  const plain = { request: http.request, get: http.get };
  for (const library of service.all ? [http, https] : [https]) {
    for (const name of ['request', 'get']) {
      const original = library[name];
      library[name] = function wrapped(...args) {
        const callback = args.find((item) => typeof item === 'function');
        const options = parts(args[0], args[1]);
        const host = options.hostname || String(options.host || '').split(':')[0];
        if (!isServed(host)) return original.apply(library, args);
        const scheme = options.protocol || (library === https ? 'https:' : 'http:');
        const port = options.port ? `:${options.port}` : '';
        const headers = withHost(options.headers, `${scheme}//${host}${port}`);
        const own = { ...options, headers, protocol: 'http:', hostname: '127.0.0.1', host: '127.0.0.1', port: service.port, agent: undefined };
        return plain[name](own, callback);
      };
    }
  }
  const fetched = global.fetch;
  if (fetched) {
    global.fetch = (target, options) => {
      const url = new URL(typeof target === 'object' && target.url ? target.url : String(target));
      if (!isServed(url.hostname)) return fetched(target, options);
      const request = new Request(target, options);
      const own = new Request(`http://127.0.0.1:${service.port}${url.pathname}${url.search}`, request);
      own.headers.set('x-sparring-host', url.origin);
      return fetched(own);
    };
  }
}

// ---- modules --------------------------------------------------------------------------------------

const copy = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

function adapter(store) {
  return class MemoryAdapter {
    constructor(config = {}) {
      this.key = config.partitionKeyGenerator || config.objectKeyGenerator
        || ((envelope) => envelope.context.System.user.userId);
    }

    async getAttributes(envelope) { return copy(store[this.key(envelope)]) || {}; }

    async saveAttributes(envelope, attributes) { store[this.key(envelope)] = copy(attributes) || {}; }

    async deleteAttributes(envelope) { delete store[this.key(envelope)]; }
  };
}

// DynamoDB's document client: whole items by key. A call answers a callback or a promise.
function documents(store) {
  const table = (name) => { store[`dynamodb:${name}`] = store[`dynamodb:${name}`] || []; return store[`dynamodb:${name}`]; };
  const fits = (item, key) => Object.keys(key).every((name) => safe(item[name]) === safe(key[name]));
  const safe = (value) => JSON.stringify(value);
  const operations = {
    get: ({ TableName, Key }) => { const Item = table(TableName).find((item) => fits(item, Key)); return Item ? { Item: copy(Item) } : {}; },
    put: ({ TableName, Item }) => {
      const items = table(TableName);
      const name = ['id', 'userId', 'userID', 'user_id'].find((known) => known in Item) || Object.keys(Item)[0];
      const at = items.findIndex((item) => safe(item[name]) === safe(Item[name]));
      if (at >= 0) items[at] = copy(Item); else items.push(copy(Item));
      return {};
    },
    delete: ({ TableName, Key }) => { store[`dynamodb:${TableName}`] = table(TableName).filter((item) => !fits(item, Key)); return {}; },
    scan: ({ TableName }) => ({ Items: copy(table(TableName)), Count: table(TableName).length }),
    query: ({ TableName, ExpressionAttributeValues = {}, ExpressionAttributeNames = {}, KeyConditionExpression = '' }) => {
      const pairs = [...String(KeyConditionExpression).matchAll(/([#\w]+)\s*=\s*(:\w+)/g)]
        .map(([, name, value]) => [ExpressionAttributeNames[name] || name, ExpressionAttributeValues[value]]);
      const Items = table(TableName).filter((item) => pairs.every(([name, value]) => safe(item[name]) === safe(value)));
      return { Items: copy(Items), Count: Items.length };
    },
    update: ({ TableName, Key, UpdateExpression = '', ExpressionAttributeValues = {}, ExpressionAttributeNames = {} }) => {
      const items = table(TableName);
      let item = items.find((known) => fits(known, Key));
      if (!item) { item = copy(Key); items.push(item); }
      for (const [, name, value] of String(UpdateExpression).matchAll(/([#\w]+)\s*=\s*(:\w+)/g)) {
        item[ExpressionAttributeNames[name] || name] = copy(ExpressionAttributeValues[value]);
      }
      return { Attributes: copy(item) };
    },
    createTable: () => ({}),
    describeTable: ({ TableName }) => ({ Table: { TableName, TableStatus: 'ACTIVE' } }),
  };
  const call = (run) => (options, callback) => {
    const outcome = new Promise((resolve, reject) => {
      process.nextTick(() => { try { resolve(run(options || {})); } catch (err) { reject(err); } });
    });
    if (typeof callback === 'function') { outcome.then((found) => callback(null, found), callback); return undefined; }
    return { promise: () => outcome };
  };
  return class Client {
    constructor() { Object.assign(this, Object.fromEntries(Object.entries(operations).map(([name, run]) => [name, call(run)]))); }
  };
}

function objects(store) {
  const kept = () => { store.s3 = store.s3 || {}; return store.s3; };
  return class Objects {
    getSignedUrl(_, { Bucket, Key } = {}) { return `https://${Bucket}.s3.amazonaws.com/${Key}`; }

    getObject({ Bucket, Key }, callback) {
      const Body = kept()[`${Bucket}/${Key}`];
      const err = Body === undefined ? Object.assign(new Error('NoSuchKey'), { code: 'NoSuchKey' }) : null;
      return reply(err, { Body: Body === undefined ? undefined : Buffer.from(Body) }, callback);
    }

    putObject({ Bucket, Key, Body }, callback) { kept()[`${Bucket}/${Key}`] = String(Body); return reply(null, {}, callback); }

    deleteObject({ Bucket, Key }, callback) { delete kept()[`${Bucket}/${Key}`]; return reply(null, {}, callback); }
  };
}

function reply(err, found, callback) {
  if (typeof callback === 'function') { process.nextTick(callback, err, found); return undefined; }
  return { promise: () => (err ? Promise.reject(err) : Promise.resolve(found)) };
}

// Services of which nothing is known: every call fails as if the cloud could not be reached.
function cloudStandIn() {
  class Unreachable {
    constructor() {
      return new Proxy(this, {
        get: (own, name) => (name in own || typeof name === 'symbol' || name === 'then' ? own[name]
          : (options, callback) => reply(refused(`service.${String(name)}`), null, typeof options === 'function' ? options : callback)),
      });
    }
  }
  const config = { update() {}, credentials: {}, region: 'us-east-1' };
  return new Proxy({ config }, { get: (own, name) => (name in own || typeof name === 'symbol' || name === 'then' ? own[name] : Unreachable) });
}

// `aws-sdk` loads the clients of 300 services for the two that a skill has, which takes half of what
// loading a skill costs. Each is loaded when the skill asks for it.
const CLIENT = /(\w+): require\('(\.\/[\w-]+)'\)/g;
const isWholeLibrary = (parent) => /[\\/]aws-sdk[\\/]lib[\\/]aws\.js$/.test((parent && parent.filename) || '');

function lazyClients(parent, load) {
  const folder = path.join(path.dirname(parent.filename), '..', 'clients');
  const library = load('./core');
  for (const [, name, file] of fs.readFileSync(path.join(folder, 'all.js'), 'utf8').matchAll(CLIENT)) {
    const set = (value) => Object.defineProperty(library, name, { value, enumerable: true, configurable: true, writable: true });
    const get = () => {
      delete library[name];
      const client = load(path.join(folder, file));
      if (!(name in library)) set(client);
      return library[name];
    };
    Object.defineProperty(library, name, { enumerable: true, configurable: true, get, set });
  }
  return library;
}

const done = new WeakSet();

// Tells of errors that the skill's own error handlers get, from the SDK's dispatcher.
function watchErrors(found, note) {
  const mapper = found.GenericErrorMapper && found.GenericErrorMapper.prototype;
  if (!mapper || typeof mapper.getErrorHandler !== 'function') return;
  const original = mapper.getErrorHandler;
  mapper.getErrorHandler = function watched(input, error) {
    note(error);
    return original.call(this, input, error);
  };
}

exports.patch = (store, note) => {
  const load = Module._load;
  const Memory = adapter(store);
  const standIn = cloudStandIn();
  const shadows = new Map();
  // Exports of newer adapters are getters that cannot be redefined: an object in front of them can.
  const replace = (found, name, value) => {
    const shadow = Object.create(found, { [name]: { value, configurable: true, enumerable: true, writable: true } });
    try { found[name] = value; } catch (e) { /* read-only */ }
    if (found[name] !== value) shadows.set(found, shadow);
  };
  Module._load = function patched(request, ...rest) {
    let found;
    try {
      found = request === '../clients/all' && isWholeLibrary(rest[0])
        ? lazyClients(rest[0], (name) => load.call(this, name, ...rest)) : load.call(this, request, ...rest);
    } catch (err) {
      // Lambda's Node up to 16 brought this library itself, so that skills do not list it.
      if (request !== 'aws-sdk' || !err || err.code !== 'MODULE_NOT_FOUND') throw err;
      found = standIn;
    }
    if (!found || typeof found !== 'object' && typeof found !== 'function') return found;
    if (done.has(found)) return shadows.get(found) || found;
    if (request === 'ask-sdk-dynamodb-persistence-adapter') {
      done.add(found);
      replace(found, 'DynamoDbPersistenceAdapter', Memory);
    } else if (request === 'ask-sdk-s3-persistence-adapter') {
      done.add(found);
      replace(found, 'S3PersistenceAdapter', Memory);
    } else if (request === 'aws-sdk') {
      done.add(found);
      const Client = documents(store);
      Client.DocumentClient = Client;
      Client.Converter = found.DynamoDB && found.DynamoDB.Converter;
      replace(found, 'DynamoDB', Client);
      replace(found, 'S3', objects(store));
    } else if (request === 'ask-sdk-runtime') {
      done.add(found);
      watchErrors(found, note);
    }
    return shadows.get(found) || found;
  };
};
