// Makes a process die, or its file system fail, at the Nth call that would change a file. For `node --import`.
//   CLEVERAGENTS_FAULT        count | kill-before:N | kill-during:N | kill-after:N | error:N:CODE | error-from:N:CODE
//   CLEVERAGENTS_FAULT_ROOTS  only calls on paths at or below these folders count (a JSON array); default: all paths
//   CLEVERAGENTS_FAULT_LOG    where to write { reached, calls: [{ name, paths, tearable, needsSpace }] }, at exit or death
// kill-during writes the first half of the data, then dies; a call without data dies before it.
// Counts what goes through node:fs in the main thread: no child processes, no workers.
import fs, { promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { constants as systemConstants } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getSystemErrorMap } from 'node:util';

const original = { ...fs };
const [mode = '', number, code] = (process.env.CLEVERAGENTS_FAULT ?? '').split(':');
const target = Number(number ?? 0);
const log = process.env.CLEVERAGENTS_FAULT_LOG;
const roots = JSON.parse(process.env.CLEVERAGENTS_FAULT_ROOTS ?? '[]').map((root) =>
  original.realpathSync(root),
);
// Not for the children and workers of the process: their calls are no points of this run.
for (const name of ['FAULT', 'FAULT_LOG', 'FAULT_ROOTS']) delete process.env[`CLEVERAGENTS_${name}`];

const MODES = ['count', 'kill-before', 'kill-during', 'kill-after', 'error', 'error-from'];
if (!MODES.includes(mode) || (mode !== 'count' && !(target >= 1)))
  throw new Error(`CLEVERAGENTS_FAULT: unknown fault ${mode}:${number}`);
if (mode.startsWith('error') && systemConstants.errno[code] === undefined)
  throw new Error(`CLEVERAGENTS_FAULT: unknown error ${code}`);

const calls = [];
let reached = false;

// ---- which calls, on which paths

const pathOf = (value) => {
  if (typeof value === 'number') return descriptorPath(value);
  if (typeof value?.fd === 'number') return descriptorPath(value.fd);
  if (value instanceof URL) return fileURLToPath(value);
  return String(value);
};
const descriptorPath = (descriptor) => {
  if (descriptor <= 2) return '/dev/stdio';
  try {
    return original.readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return `/dev/fd/${descriptor}`; // closed, or no /proc: nobody can tell
  }
};
const PATHS = {
  first: ([first]) => [first],
  both: ([from, to]) => [from, to],
  second: ([, to]) => [to],
  handle: function () {
    return [this];
  },
};
const BY_PATH =
  'appendFile chmod chown lchmod lchown lutimes mkdir mkdtemp mkdtempDisposable rm rmdir truncate unlink utimes writeFile';
const BY_DESCRIPTOR = 'fchmod fchown fdatasync fsync ftruncate futimes write writev';
const BY_HANDLE = 'appendFile chmod chown datasync sync truncate utimes write writeFile writev';
const byName = (names, paths) => names.split(' ').map((name) => [name, paths]);
const FUNCTIONS = Object.fromEntries([
  ...byName(`${BY_PATH} ${BY_DESCRIPTOR} open`, PATHS.first),
  ...byName('rename link', PATHS.both),
  ...byName('symlink copyFile cp', PATHS.second),
]);
const METHODS = Object.fromEntries(byName(BY_HANDLE, PATHS.handle));
const FREES_SPACE = /^(l?chmod|fchmod|l?chown|fchown|rm|rmdir|unlink|f?truncate|l?utimes|futimes)(Sync)?$/;

const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = fs.constants;
const opensForWriting = ([, flags]) =>
  typeof flags === 'number'
    ? (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) !== 0
    : typeof flags === 'string' && /[wa+]/.test(flags);

/** With links on the way followed, the addresses of descriptors among them; the last name as it is. */
function realPath(path) {
  const absolute = resolve(path);
  try {
    return join(original.realpathSync(dirname(absolute)), basename(absolute));
  } catch {
    return absolute;
  }
}
const isInside = (path, root) => path === root || path.startsWith(root + sep);
const counts = (path) =>
  roots.length > 0
    ? roots.some((root) => isInside(path, root))
    : !['/dev', '/proc', '/sys'].some((root) => isInside(path, root));

// ---- what happens there

function die() {
  writeLog();
  process.kill(process.pid, 'SIGKILL');
}

function writeLog() {
  if (log !== undefined) original.writeFileSync(log, JSON.stringify({ reached, calls }));
}

function systemError(name, [path, dest]) {
  const errno = -systemConstants.errno[code];
  const text = getSystemErrorMap().get(errno)?.[1] ?? 'injected';
  const syscall = name.replace(/Sync$/, '');
  const error = new Error(
    `${code}: ${text}, ${syscall} '${path}'${dest === undefined ? '' : ` -> '${dest}'`}`,
  );
  return Object.assign(error, { errno, code, syscall, path, ...(dest !== undefined && { dest }) });
}

const isHit = (index, call) => {
  if (mode === 'error-from')
    return index >= target && (call.needsSpace || !['ENOSPC', 'EDQUOT'].includes(code));
  return mode !== 'count' && index === target;
};

const fail = {
  sync: (error) => {
    throw error;
  },
  promise: (error) => Promise.reject(error),
  callback: (error, parameters) => {
    process.nextTick(parameters.at(-1), error);
  },
};

function thenDie(kind, call, self, parameters) {
  if (kind === 'callback') {
    parameters = [...parameters.slice(0, -1), die];
    return call.apply(self, parameters);
  }
  const result = call.apply(self, parameters);
  if (kind === 'promise') return result.finally(die);
  die();
  return result;
}

/** The first half of what the call would write, or null: then there is nothing to tear. */
function halfOf(name, self, parameters) {
  const base = name.replace(/Sync$/, '');
  const ofHandle = self instanceof FileHandle;
  const [data, options, length] = ofHandle ? parameters : parameters.slice(1);
  const halve = (bytes) => (bytes.length < 2 ? null : bytes.subarray(0, bytes.length >> 1));
  if (base === 'copyFile') return halve(original.readFileSync(parameters[0]));
  if (base === 'writev') return halve(Buffer.concat(data));
  if (!['write', 'writeFile', 'appendFile'].includes(base)) return null;
  if (typeof data === 'string') {
    const named = typeof options === 'string' ? options : (options?.encoding ?? undefined);
    return halve(Buffer.from(data, base === 'write' ? length : named));
  }
  if (!ArrayBuffer.isView(data)) return null;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (base !== 'write') return halve(bytes);
  const { offset = 0, length: count } =
    typeof options === 'object' && options !== null ? options : { offset: options, length };
  return halve(bytes.subarray(offset ?? 0, typeof count === 'number' ? (offset ?? 0) + count : undefined));
}

function positionOf(name, self, parameters) {
  const [data, second, , fourth] = self instanceof FileHandle ? parameters : parameters.slice(1);
  if (/^writev/.test(name) || typeof data === 'string') return typeof second === 'number' ? second : null;
  const position = typeof second === 'object' && second !== null ? second.position : fourth;
  return typeof position === 'number' ? position : null;
}

function tear(name, self, parameters, half) {
  const base = name.replace(/Sync$/, '');
  const descriptor =
    self instanceof FileHandle
      ? self.fd
      : typeof parameters[0] === 'number'
        ? parameters[0]
        : parameters[0]?.fd;
  const options = parameters.find((value, index) => index > 1 && typeof value === 'object' && value !== null);
  if (base === 'copyFile') original.writeFileSync(parameters[1], half);
  else if (typeof descriptor === 'number')
    original.writeSync(descriptor, half, 0, half.length, positionOf(name, self, parameters));
  else if (base === 'appendFile') original.appendFileSync(parameters[0], half, { mode: options?.mode });
  else original.writeFileSync(parameters[0], half, { mode: options?.mode, flag: options?.flag });
}

function withFaults(kind, name, call, pathsOf) {
  const patched = function (...parameters) {
    const given = pathsOf.call(this, parameters).map(pathOf);
    const paths = given.map(realPath);
    const ignored = /^open(Sync)?$/.test(name) && !opensForWriting(parameters);
    if (ignored || !paths.some(counts)) return call.apply(this, parameters);
    const inputs = kind === 'callback' ? parameters.slice(0, -1) : parameters;
    const half = halfOf(name, this, inputs);
    const point = { name, paths, tearable: half !== null, needsSpace: !FREES_SPACE.test(name) };
    calls.push(point);
    if (!isHit(calls.length, point)) return call.apply(this, parameters);
    reached = true;
    if (mode === 'kill-after') return thenDie(kind, call, this, parameters);
    if (mode.startsWith('error')) return fail[kind](systemError(name, given), parameters);
    if (mode === 'kill-during' && half !== null) tear(name, this, inputs, half);
    return die();
  };
  // promisify() and others look at properties of the function
  return Object.defineProperties(patched, Object.getOwnPropertyDescriptors(call));
}

const someHandle = await promises.open(fileURLToPath(import.meta.url), 'r');
const FileHandle = someHandle.constructor;
await someHandle.close();

for (const [name, paths] of Object.entries(FUNCTIONS)) {
  if (fs[name] !== undefined) fs[name] = withFaults('callback', name, fs[name], paths);
  if (fs[`${name}Sync`] !== undefined)
    fs[`${name}Sync`] = withFaults('sync', `${name}Sync`, fs[`${name}Sync`], paths);
  if (promises[name] !== undefined) promises[name] = withFaults('promise', name, promises[name], paths);
}
for (const [name, paths] of Object.entries(METHODS))
  FileHandle.prototype[name] = withFaults('promise', name, FileHandle.prototype[name], paths);
syncBuiltinESMExports();
process.on('exit', writeLog);
