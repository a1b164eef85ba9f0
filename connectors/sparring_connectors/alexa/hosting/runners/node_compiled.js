// Compiles each file of a skill once for all conversations that a process holds. Each conversation
// runs the files anew, so that their variables begin as they are written; what stays is the code.
// Compiling `ask-sdk` and `aws-sdk` is half of what loading them costs.
'use strict';

const Module = require('module');
const path = require('path');
const { compileFunction } = require('vm');

const { freeze } = Object;
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
// Node alone knows how a file imports ES modules; `import /* why */ ('x')` does, too.
const MAY_IMPORT = /\bimport\s*[(/]/;

const bodies = new Map();

// The body of a file as a function, or null if Node has to compile it: it may tell more of an error.
function bodyOf(content, filename) {
  const known = bodies.get(filename);
  if (known !== undefined && known.content === content) return known.body;
  let body = null;
  if (!MAY_IMPORT.test(content)) {
    try { body = compileFunction(content, PARAMETERS, { filename }); } catch (err) { return null; }
    // A body can name itself (`arguments.callee`), and must not keep anything for the next one.
    freeze(body);
    freeze(body.prototype);
  }
  bodies.set(filename, { content, body });
  return body;
}

// What Node gives to a module as `require`.
function requireOf(module) {
  const require = (name) => module.require(name);
  require.resolve = (name, options) => Module._resolveFilename(name, module, false, options);
  require.resolve.paths = (name) => Module._resolveLookupPaths(name, module);
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  return require;
}

// Run a file as a module; false if Node has to do it.
exports.run = (module, content, filename) => {
  const body = bodyOf(content, filename);
  if (body === null) return false;
  body.call(module.exports, module.exports, requireOf(module), module, filename, path.dirname(filename));
  return true;
};
