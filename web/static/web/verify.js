// Checks of the event log, its proofs, fair deals, receipts and exports, for a page or for anybody who takes
// this one file away: it imports nothing and asks no server. Written from the specification alone; section
// numbers are those of `eventstore.md`.
//
// Hashes, seeds and salts go in and come out as lower-case hex (a Uint8Array is taken as well), ids as UUIDs.
// What needs WebCrypto is asynchronous; the fair deal is not, so that a card can be checked while it is drawn.

/** What is wrong (`error`, a code of 6.2) and where (`place`). */
export class Failure extends Error {
  constructor(error, place, detail = "") {
    super(detail ? `${error}: ${place} (${detail})` : `${error}: ${place}`);
    this.error = error;
    this.place = place;
    this.detail = detail;
  }
}

// --- bytes ------------------------------------------------------------------------------------------------

const HEX = /^(?:[0-9a-f]{2})*$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HASH = /^[0-9a-f]{64}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const encoder = new TextEncoder();
const utf8 = (text) => encoder.encode(text);

const toHex = (bytes) => {
  let text = "";
  for (const byte of bytes) text += HEX_OF_BYTE[byte];
  return text;
};

/** Bytes of hex, of a UUID, or those given. Throws RangeError. */
function bytesOf(value) {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== "string") throw new RangeError("neither hex nor bytes");
  const text = UUID.test(value) ? value.replaceAll("-", "") : value;
  if (!HEX.test(text)) throw new RangeError(`no hex: ${value.slice(0, 80)}`);
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Bytes of base64 in its one spelling, null of any other text. */
function fromBase64(text) {
  if (!BASE64.test(text)) return null;
  const found = atob(text);
  return btoa(found) === text ? Uint8Array.from(found, (character) => character.charCodeAt(0)) : null;
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A number as so many big-endian bytes. */
function unsigned(value, length) {
  const bytes = new Uint8Array(length);
  for (let i = length - 1, rest = value; i >= 0; i -= 1, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
  return bytes;
}

const u16 = (value) => unsigned(value, 2);
const u32 = (value) => unsigned(value, 4);
const u64 = (value) => unsigned(value, 8);

// --- SHA-2, HMAC, Ed25519 ---------------------------------------------------------------------------------

// The constants of SHA-2 are leading bits of the fractions of square and cube roots of the first primes;
// those of SHA-256 are the upper halves of those of SHA-512.

function firstPrimes(count) {
  const primes = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
  return primes.map(BigInt);
}

/** First 64 bits of the fraction of the root of `value` with that exponent. */
function rootFraction(value, exponent) {
  const target = value << (64n * exponent);
  let low = 0n;
  let high = 1n << 72n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** exponent <= target) low = middle;
    else high = middle;
  }
  return BigInt.asUintN(64, low);
}

const PRIMES = firstPrimes(80);
const K512 = PRIMES.map((prime) => rootFraction(prime, 3n));
const H512 = PRIMES.slice(0, 8).map((prime) => rootFraction(prime, 2n));
const K256 = Int32Array.from(K512.slice(0, 64), (word) => Number(word >> 32n) | 0);
const H256 = Int32Array.from(H512, (word) => Number(word >> 32n) | 0);
const schedule = new Int32Array(64);

/** The message with its padding. */
function padded(parts, blockBytes, lengthBytes) {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(Math.ceil((length + 1 + lengthBytes) / blockBytes) * blockBytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  whole[length] = 0x80;
  const tail = new DataView(whole.buffer, whole.length - 8);
  tail.setUint32(0, Math.floor(length / 2 ** 29));
  tail.setUint32(4, (length * 8) >>> 0);
  return whole;
}

/** SHA-256 of the joined parts. For the short messages of trees and decks it takes no longer than WebCrypto does with
 * its promises, and nobody has to wait; whole records go through WebCrypto, which is several times as fast there. */
function sha256(...parts) {
  const message = padded(parts, 64, 8);
  const view = new DataView(message.buffer);
  const state = H256.slice();
  const w = schedule;
  for (let block = 0; block < message.length; block += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(block + 4 * i);
    for (let i = 16; i < 64; i += 1) {
      const x = w[i - 15];
      const y = w[i - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
    }
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let i = 0; i < 64; i += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K256[i] + w[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
  const digest = new Uint8Array(32);
  const words = new DataView(digest.buffer);
  for (let i = 0; i < 8; i += 1) words.setInt32(4 * i, state[i]);
  return digest;
}

/** SHA-512, used by the fall-back of Ed25519 alone: slow and plain. */
function sha512(message) {
  const view = new DataView(padded([message], 128, 16).buffer);
  const rotated = (x, n) => BigInt.asUintN(64, (x >> n) | (x << (64n - n)));
  let state = [...H512];
  for (let block = 0; block < view.byteLength; block += 128) {
    const w = Array.from({ length: 16 }, (_, i) => view.getBigUint64(block + 8 * i));
    for (let i = 16; i < 80; i += 1) {
      const s0 = rotated(w[i - 15], 1n) ^ rotated(w[i - 15], 8n) ^ (w[i - 15] >> 7n);
      const s1 = rotated(w[i - 2], 19n) ^ rotated(w[i - 2], 61n) ^ (w[i - 2] >> 6n);
      w.push(BigInt.asUintN(64, w[i - 16] + s0 + w[i - 7] + s1));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 80; i += 1) {
      const s1 = rotated(e, 14n) ^ rotated(e, 18n) ^ rotated(e, 41n);
      const t1 = h + s1 + ((e & f) ^ (BigInt.asUintN(64, ~e) & g)) + K512[i] + w[i];
      const s0 = rotated(a, 28n) ^ rotated(a, 34n) ^ rotated(a, 39n);
      const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, BigInt.asUintN(64, d + t1), c, b, a, BigInt.asUintN(64, t1 + t2)];
    }
    state = [a, b, c, d, e, f, g, h].map((word, i) => BigInt.asUintN(64, state[i] + word));
  }
  return bytesOf(state.map((word) => word.toString(16).padStart(16, "0")).join(""));
}

function hmac(key, ...message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(block.map((byte) => byte ^ 0x36), ...message);
  return sha256(block.map((byte) => byte ^ 0x5c), inner);
}

// Ed25519 by RFC 8032, for browsers whose WebCrypto has none and for pages without a secure context.

const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

const modulo = (value, by = P) => ((value % by) + by) % by;

function power(base, exponent) {
  let result = 1n;
  for (let b = modulo(base), e = exponent; e > 0n; e >>= 1n, b = (b * b) % P) {
    if (e & 1n) result = (result * b) % P;
  }
  return result;
}

const D = modulo(-121665n * power(121666n, P - 2n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);
const NEUTRAL = [0n, 1n, 1n, 0n];

/** x of a point with this y and parity, null if there is none. */
function xOf(y, parity) {
  const square = modulo((y * y - 1n) * power(D * y * y + 1n, P - 2n));
  let x = power(square, (P + 3n) / 8n);
  if (modulo(x * x - square)) x = (x * ROOT_OF_MINUS_ONE) % P;
  if (modulo(x * x - square) || (x === 0n && parity)) return null;
  return (x & 1n) === parity ? x : P - x;
}

function added([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = (y1 - x1) * (y2 - x2);
  const b = (y1 + x1) * (y2 + x2);
  const c = 2n * t1 * t2 * D;
  const d = 2n * z1 * z2;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a].map((value) => modulo(value));
  return [(e * f) % P, (g * h) % P, (f * g) % P, (e * h) % P];
}

function times(scalar, point) {
  let result = NEUTRAL;
  for (let rest = scalar, doubled = point; rest > 0n; rest >>= 1n, doubled = added(doubled, doubled)) {
    if (rest & 1n) result = added(result, doubled);
  }
  return result;
}

const littleEndian = (bytes) => BigInt(`0x${toHex(Uint8Array.from(bytes).reverse()) || "0"}`);

function pointOf(bytes) {
  const value = littleEndian(bytes);
  const y = value & (2n ** 255n - 1n);
  const x = y < P ? xOf(y, value >> 255n) : null;
  return x === null ? null : [x, y, 1n, (x * y) % P];
}

function encodedPoint([x, y, z]) {
  const inverse = power(z, P - 2n);
  const value = ((y * inverse) % P) | ((((x * inverse) % P) & 1n) << 255n);
  return bytesOf(value.toString(16).padStart(64, "0")).reverse();
}

const BASE_Y = modulo(4n * power(5n, P - 2n));
const BASE_X = xOf(BASE_Y, 0n);
const BASE = [BASE_X, BASE_Y, 1n, (BASE_X * BASE_Y) % P];

/** Ed25519 in this file alone. */
export function ed25519Slowly(publicKey, message, signature) {
  const key = pointOf(publicKey);
  const s = littleEndian(signature.slice(32));
  if (publicKey.length !== 32 || signature.length !== 64 || !key || s >= ORDER) return false;
  const r = signature.slice(0, 32);
  const k = littleEndian(sha512(joined(r, publicKey, message))) % ORDER;
  const minus = [modulo(-key[0]), key[1], 1n, modulo(-key[3])];
  return toHex(encodedPoint(added(times(s, BASE), times(k, minus)))) === toHex(r);
}

async function importedKey(publicKey) {
  try {
    return await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"]);
  } catch {
    return null; // no secure context, no such algorithm, or no point of the curve
  }
}

/** Whether a key has a small order: it would accept signatures that nobody made. */
function isSmall(publicKey) {
  let point = pointOf(publicKey);
  for (let i = 0; point && i < 3; i += 1) point = added(point, point);
  return !point || (point[0] === 0n && point[1] === point[2]);
}

async function isSigned(publicKey, message, signature) {
  if (isSmall(publicKey)) return false;
  const key = await importedKey(publicKey);
  if (!key) return ed25519Slowly(publicKey, message, signature);
  return crypto.subtle.verify({ name: "Ed25519" }, key, signature, message);
}

// --- strict JSON (2.1) ------------------------------------------------------------------------------------

const DEPTH_MAX = 100;
const WORDS = { true: true, false: false, null: null };
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN_STRING = /[^"\\\u0000-\u001f]*/y;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const NOT_AN_INTEGER = Number.NaN;

class Reader {
  constructor(text, isLoose) {
    this.text = text;
    this.at = 0;
    this.isLoose = isLoose;
  }

  refuse(why) {
    throw new SyntaxError(`${why} at character ${this.at}`);
  }

  blank() {
    while (" \t\n\r".includes(this.text[this.at] || "x")) this.at += 1;
  }

  matched(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  expect(character) {
    if (this.text[this.at] !== character) this.refuse(`no ${character}`);
    this.at += 1;
  }

  whole() {
    this.blank();
    const value = this.value(0);
    this.blank();
    if (this.at < this.text.length) this.refuse("more than one value");
    return value;
  }

  value(depth) {
    if (depth > DEPTH_MAX) this.refuse("nested too deep");
    const first = this.text[this.at];
    if (first === "{") return this.object(depth);
    if (first === "[") return this.array(depth);
    if (first === '"') return this.string();
    const word = Object.keys(WORDS).find((one) => this.text.startsWith(one, this.at));
    if (word === undefined) return this.number();
    this.at += word.length;
    return WORDS[word];
  }

  number() {
    const text = this.matched(NUMBER);
    if (!text) this.refuse("no value");
    const value = Number(text);
    if (/^-?[0-9]+$/.test(text) && Number.isSafeInteger(value) && !Object.is(value, -0)) return value;
    if (!this.isLoose) this.refuse("no integer of the log");
    return NOT_AN_INTEGER;
  }

  string() {
    this.expect('"');
    let found = this.matched(PLAIN_STRING);
    while (this.text[this.at] !== '"') {
      if (this.text[this.at] !== "\\") this.refuse("a string without an end, or a bare control character");
      found += this.escape() + this.matched(PLAIN_STRING);
    }
    this.at += 1;
    if (!this.isLoose && !found.isWellFormed()) this.refuse("a lone surrogate");
    return found;
  }

  escape() {
    const letter = this.text[this.at + 1];
    const code = this.text.slice(this.at + 2, this.at + 6);
    if (letter === "u" && /^[0-9a-fA-F]{4}$/.test(code)) {
      this.at += 6;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    if (!(letter in ESCAPES)) this.refuse("a bad escape");
    this.at += 2;
    return ESCAPES[letter];
  }

  array(depth) {
    const found = [];
    this.at += 1;
    this.blank();
    if (this.text[this.at] !== "]") {
      do {
        this.at += found.length ? 1 : 0;
        this.blank();
        found.push(this.value(depth + 1));
        this.blank();
      } while (this.text[this.at] === ",");
    }
    this.expect("]");
    return found;
  }

  object(depth) {
    const found = Object.create(null); // every key is an ordinary one, __proto__ too
    let isFirst = true;
    this.at += 1;
    this.blank();
    if (this.text[this.at] !== "}") {
      do {
        this.at += isFirst ? 0 : 1;
        isFirst = false;
        this.blank();
        const key = this.string();
        if (key in found) this.refuse(`the key ${key} twice`);
        this.blank();
        this.expect(":");
        this.blank();
        found[key] = this.value(depth + 1);
        this.blank();
      } while (this.text[this.at] === ",");
    }
    this.expect("}");
    return found;
  }
}

/** Value of a JSON text of the log: without duplicate keys, floats, exponents, -0, lone surrogates or integers that
 * are not exact everywhere. Throws SyntaxError. */
export const parseStrict = (text) => new Reader(text, false).whole();

/** As `parseStrict`, but a number that is no such integer becomes NaN, and strings may hold anything: what that means
 * depends on the member of the file. */
const parseFile = (text) => new Reader(text, true).whole();

const KEY = /^[a-z0-9_]{1,40}$/;
const NESTING_MAX = 8;
const CHARACTERS_MAX = 1024;
const RECORD_BYTES_MAX = 65535;

/** Whether an object has a member of its own: what a file names is not to be found among those that all have. */
const has = (object, name) => Object.hasOwn(object, name);

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Canonical text (RFC 8785) of a value of the log, nested at most so deep. Throws RangeError. */
export function canonical(value, nesting = NESTING_MAX) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw new RangeError("no integer of the log");
    return String(value);
  }
  if (typeof value === "string") {
    if (value.length > CHARACTERS_MAX && [...value].length > CHARACTERS_MAX) throw new RangeError("a long string");
    if (!value.isWellFormed()) throw new RangeError("a lone surrogate");
    return JSON.stringify(value);
  }
  if (typeof value !== "object") throw new RangeError(`no place for a ${typeof value}`);
  if (nesting === 0) throw new RangeError("nested too deep");
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, nesting - 1)).join(",")}]`;
  const members = Object.keys(value).sort().map((key) => {
    if (!KEY.test(key)) throw new RangeError(`no key of the log: ${key}`);
    return `"${key}":${canonical(value[key], nesting - 1)}`;
  });
  return `{${members.join(",")}}`;
}

// --- tree (4.1, 4.3) --------------------------------------------------------------------------------------

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

const leafOf = (bytes) => sha256(LEAF, bytes);
const nodeOf = (left, right) => sha256(NODE, left, right);
const half = (size) => Math.floor(size / 2);

/** Largest power of two below a size of 2 or more. */
function splitOf(size) {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

function rootOf(leaves) {
  if (leaves.length === 0) return sha256();
  let level = leaves;
  // An odd one goes up as it is: the same tree as the split at powers of two.
  while (level.length > 1) {
    const above = [];
    for (let i = 0; i + 1 < level.length; i += 2) above.push(nodeOf(level[i], level[i + 1]));
    if (level.length % 2) above.push(level.at(-1));
    level = above;
  }
  return level[0];
}

function pathOf(leaves, index) {
  if (leaves.length < 2) return [];
  const split = splitOf(leaves.length);
  const isLeft = index < split;
  const [inside, other] = [leaves.slice(0, split), leaves.slice(split)];
  return isLeft ? [...pathOf(inside, index), rootOf(other)] : [...pathOf(other, index - split), rootOf(inside)];
}

/** Root to which a path leads (RFC 9162, 2.1.3.2), null if it has not the length of that place. */
function rootFromPath(leaf, index, size, path) {
  if (!(index >= 0 && index < size)) return null;
  let [at, last, root] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      root = nodeOf(sibling, root);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      root = nodeOf(root, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? root : null;
}

/** Leaf hash of a record. */
export const leafHash = (record) => toHex(leafOf(typeof record === "string" ? utf8(record) : record));

/** Root of a tree of leaf hashes. */
export const treeRoot = (leaves) => toHex(rootOf(leaves.map(bytesOf)));

/** Audit path of a leaf, nearest sibling first. */
export const inclusionPath = (leaves, index) => pathOf(leaves.map(bytesOf), index).map(toHex);

/** Whether a leaf stands at a place of the tree with that root. */
export function isIncluded({ index, size, leaf, path, root }) {
  const found = rootFromPath(bytesOf(leaf), index, size, path.map(bytesOf));
  return found !== null && toHex(found) === toHex(bytesOf(root));
}

/** Whether the bigger tree begins with the smaller one (RFC 9162, 2.1.4.2). */
export function isConsistent({ from, to, path, rootFrom, rootTo }) {
  const [oldRoot, newRoot] = [rootFrom, rootTo].map((root) => toHex(bytesOf(root)));
  if (!(from >= 1 && from <= to)) return false;
  if (from === to) return path.length === 0 && oldRoot === newRoot;
  const steps = path.map(bytesOf);
  if (from === 1 || 2 * splitOf(from) === from) steps.unshift(bytesOf(rootFrom)); // a complete subtree
  if (steps.length === 0) return false;
  let [at, last] = [from - 1, to - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [older, newer] = [steps[0], steps[0]];
  for (const step of steps.slice(1)) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [older, newer] = [nodeOf(step, older), nodeOf(step, newer)];
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      newer = nodeOf(newer, step);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && toHex(older) === oldRoot && toHex(newer) === newRoot;
}

/** A tree that only grows: roots of its complete subtrees, the largest first. */
class Frontier {
  constructor(size = 0, roots = []) {
    this.size = size;
    this.roots = roots;
  }

  push(leaf) {
    let node = leaf;
    for (let rest = this.size; rest % 2 === 1; rest = half(rest)) node = nodeOf(this.roots.pop(), node);
    this.roots.push(node);
    this.size += 1;
  }

  root() {
    return this.size ? this.roots.reduceRight((right, left) => nodeOf(left, right)) : sha256();
  }
}

// --- notes and keys (4.4) ---------------------------------------------------------------------------------

const NAME = /^[^\s+]+$/u;
const SIZE = /^(?:0|[1-9][0-9]{0,15})$/;
const SIGNATURES_MAX = 100; // of a note, as in Go's signed notes: each may cost a look at a signature
const SIGNATURE_LINE = /^\u2014 (\S+) (\S+)$/u;
const ED25519 = 1;

/** A verifier key string, read: name, id, public key. Throws RangeError. */
export function parseKey(text) {
  const [name, id, ...rest] = String(text).split("+");
  const payload = fromBase64(rest.join("+"));
  if (!NAME.test(name) || payload?.length !== 33 || payload[0] !== ED25519) throw new RangeError("no verifier key");
  const publicKey = payload.slice(1);
  if (id !== toHex(sha256(utf8(`${name}\n`), payload).slice(0, 4))) throw new RangeError("the id is of another key");
  return { name, id, publicKey };
}

/** A signed note, read: origin, size, root (hex), text and signatures. Throws Failure. */
export function parseNote(note, place = "checkpoint") {
  const refuse = (why) => {
    throw new Failure("bad_note", place, why);
  };
  if (typeof note !== "string" || !note.isWellFormed()) refuse("no text");
  const end = note.indexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) refuse("no signatures");
  const text = note.slice(0, end + 1);
  const [origin, size, root, ...more] = text.slice(0, -1).split("\n");
  if (!NAME.test(origin) || more.length) refuse("not three lines");
  if (!SIZE.test(size ?? "") || !Number.isSafeInteger(Number(size))) refuse("no size");
  const rootBytes = fromBase64(root ?? "");
  if (rootBytes?.length !== 32) refuse("no root");
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > SIGNATURES_MAX) refuse(`${lines.length} signature lines`);
  const signatures = lines.map((line) => {
    const [, name, payload] = SIGNATURE_LINE.exec(line) ?? refuse("a line that is no signature");
    const bytes = fromBase64(payload);
    if (!bytes || bytes.length < 5) refuse("a damaged signature line");
    return { name, id: toHex(bytes.slice(0, 4)), signature: bytes.slice(4) };
  });
  return { origin, size: Number(size), root: toHex(rootBytes), text, signatures };
}

/** The note, if its origin is that and a key that is trusted signed it; else throws Failure. */
async function requireSigned(note, origin, keys, place) {
  if (note.origin !== origin) throw new Failure("unknown_key", place, `a note of ${note.origin}, not of ${origin}`);
  let isKnown = false;
  for (const { name, id, signature } of note.signatures) {
    const key = keys.find((one) => one.name === name && one.id === id && name === origin);
    isKnown ||= Boolean(key);
    if (key && (await isSigned(key.publicKey, utf8(note.text), signature))) return note;
  }
  throw new Failure(isKnown ? "bad_signature" : "unknown_key", place);
}

/** Reads a note and checks its signature. `keys` are verifier key strings that the caller trusts. */
export async function checkNote(text, { origin, keys, place = "checkpoint" }) {
  const note = parseNote(text, place);
  return requireSigned(note, origin ?? note.origin, keys.map(parseKey), place);
}

// --- fair deal (5.1 to 5.3) -------------------------------------------------------------------------------

const SEED_BYTES = 32;
const ANCHOR_LENGTH_MAX = 65_536;
const PLACES_PER_SHUFFLE = 64;
const RANKS = "A23456789TJQK";
const SUITS = "CDHS";

/** Names of cards by code. */
export const CARDS = Object.freeze([
  ...[...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit)),
  "X1",
  "X2",
]);
const CODES = new Map(CARDS.map((name, code) => [name, code]));

/** Code of a card's name, undefined if there is no such card. */
export const codeOf = (name) => CODES.get(name);

function packs() {
  const full = CARDS.slice(0, 52).map((_, code) => code);
  const short = full.filter((code) => !"89T".includes(RANKS[code % 13]));
  const found = {};
  for (const [name, pack] of [["std52", full], ["std40", short]]) {
    [[], [52], [52, 53]].forEach((jokers, count) => {
      found[`${name}${count ? `j${count}` : ""}/1`] = Object.freeze([...pack, ...jokers]);
    });
  }
  return Object.freeze(found);
}

/** Ascending card codes by deck_spec. */
export const DECKS = packs();

const framed = (bytes) => joined(u32(bytes.length), bytes);
const tagOf = (name) => framed(utf8(`tonk/fair/1/${name}`));
const TAGS = Object.fromEntries(
  ["link", "commit", "transcript", "key", "stream", "salt", "card"].map((name) => [name, tagOf(name)]),
);

/** The link that comes before a seed in its chain. */
export const link = (seed) => toHex(sha256(TAGS.link, framed(bytesOf(seed))));

/** Whether a seed is the one that may follow a link. */
export function isNextLink(seed, lastLink) {
  const bytes = bytesOf(seed);
  return bytes.length === SEED_BYTES && link(bytes) === toHex(bytesOf(lastLink));
}

/** All links of the chain that ends at `root`: c_0, the anchor, to c_length, the root. */
export function chain(root, length) {
  const links = [toHex(bytesOf(root))];
  while (links.length <= length) links.push(link(links.at(-1)));
  return links.reverse();
}

/** The dealer's commitment to his seed. */
export const commit = (hand, serverSeed) =>
  toHex(sha256(TAGS.commit, framed(bytesOf(hand)), framed(bytesOf(serverSeed))));

/** All that was fixed before the shuffle, as bytes; `seats` are those dealt in, in any order. */
export function transcriptPreimage({ hand, commit: commitment, deckSpec, beacon = "", seats }) {
  const ascending = [...seats].sort((a, b) => a.seat - b.seat);
  return joined(
    TAGS.transcript,
    ...[bytesOf(hand), bytesOf(commitment), utf8(deckSpec), bytesOf(beacon)].map(framed),
    u16(ascending.length),
    ...ascending.flatMap(({ seat, player, seed }) => [u16(seat), framed(bytesOf(player)), framed(bytesOf(seed))]),
  );
}

/** Hash of all that was fixed before the shuffle. */
export const transcript = (facts) => toHex(sha256(transcriptPreimage(facts)));

/** The key from which every order and salt of a hand comes. */
export const handKey = (serverSeed, transcriptHash) =>
  toHex(hmac(bytesOf(serverSeed), TAGS.key, framed(bytesOf(transcriptHash))));

/** Block of eight words of the stream that orders a shuffle. */
export const streamBlock = (key, shuffleNo, blockNo) =>
  toHex(hmac(bytesOf(key), TAGS.stream, u32(shuffleNo), u32(blockNo)));

function* streamWords(key, shuffleNo) {
  for (let blockNo = 0; ; blockNo += 1) {
    const block = new DataView(bytesOf(streamBlock(key, shuffleNo, blockNo)).buffer);
    for (let i = 0; i < 8; i += 1) yield block.getUint32(4 * i);
  }
}

/** The cards in the order that the words give; words that would favour a card are passed over. */
export function fisherYates(cards, words) {
  const order = [...cards];
  const next = words[Symbol.iterator]();
  for (let last = order.length - 1; last > 0; last -= 1) {
    const choices = last + 1;
    const fairBelow = 2 ** 32 - (2 ** 32 % choices);
    let word;
    do word = next.next().value;
    while (word >= fairBelow);
    const chosen = word % choices;
    [order[last], order[chosen]] = [order[chosen], order[last]];
  }
  return order;
}

/** Order of a shuffle of these codes; position 0 is the first card from the top. */
export const shuffle = (key, shuffleNo, codes) => fisherYates(codes, streamWords(bytesOf(key), shuffleNo));

/** What blinds the leaf of one card. */
export const salt = (key, shuffleNo, position) =>
  toHex(hmac(bytesOf(key), TAGS.salt, u32(shuffleNo), u16(position)));

/** Leaf of one card in the tree of its shuffle. */
export const cardLeaf = ({ hand, shuffleNo, position, code, salt: blinding }) =>
  toHex(
    sha256(
      LEAF,
      TAGS.card,
      framed(bytesOf(hand)),
      u32(shuffleNo),
      u16(position),
      Uint8Array.of(code),
      bytesOf(blinding),
    ),
  );

/** A shuffle with everything that seals it. */
export function sealedDeck(hand, key, shuffleNo, codes) {
  const order = shuffle(key, shuffleNo, codes);
  const salts = order.map((_, position) => salt(key, shuffleNo, position));
  const leaves = order.map((code, position) =>
    cardLeaf({ hand, shuffleNo, position, code, salt: salts[position] }),
  );
  return { order, salts, leaves, root: treeRoot(leaves) };
}

/** The opening of a card of a sealed deck. */
export function openCard(sealed, { hand, shuffleNo, position }) {
  const code = sealed.order[position];
  return {
    hand,
    shuffle_no: shuffleNo,
    position,
    place: PLACES_PER_SHUFFLE * shuffleNo + position,
    size: sealed.order.length,
    card: CARDS[code],
    code,
    salt: sealed.salts[position],
    path: inclusionPath(sealed.leaves, position),
    root: sealed.root,
  };
}

/** Whether an opening shows the card of its place under a root. `hand`, `root`, `size` are what the caller knows of
 * the hand from the log; what is left out is taken from the opening itself. */
export function opens(opening, { hand, root, size } = {}) {
  const { shuffle_no: shuffleNo, position, place, code, card, path } = opening;
  const isNumbered = [shuffleNo, position, place, code, opening.size].every(Number.isSafeInteger);
  if (!isNumbered || shuffleNo < 0 || position < 0 || position >= PLACES_PER_SHUFFLE) return false;
  if (place !== PLACES_PER_SHUFFLE * shuffleNo + position || CODES.get(card) !== code) return false;
  if (!Array.isArray(path) || ![opening.salt, opening.root, ...path].every(isHash)) return false;
  if (root !== undefined && toHex(bytesOf(root)) !== opening.root) return false;
  if (size !== undefined && size !== opening.size) return false;
  const expected = toHex(bytesOf(hand ?? opening.hand));
  if (opening.hand !== undefined && toHex(bytesOf(opening.hand)) !== expected) return false;
  const leaf = cardLeaf({ hand: expected, shuffleNo, position, code, salt: opening.salt });
  return isIncluded({ index: position, size: opening.size, leaf, path, root: opening.root });
}

// --- records and chains (2.1, 2.2) ------------------------------------------------------------------------

const NO_HASH = "0".repeat(64);
const STREAM = /^(?:table|tournament|wallet|player|log)\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TYPE = /^[A-Z][A-Za-z]{2,39}$/;
const AT = /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3})[0-9]{3}Z$/;
const MEMBERS = "at data fmt id meta prev schema stream type v";
const EVENT_FORMAT = "tonk/event/1";

const isInteger = (least) => (value) => Number.isSafeInteger(value) && value >= least;
const isMatch = (pattern) => (value) => typeof value === "string" && pattern.test(value);
const isString = (value) => typeof value === "string" && value.isWellFormed();
const isHash = isMatch(HASH);
const isUuid = isMatch(UUID);

/** Whether a text is an instant of the log that the calendar has. */
function isTime(value) {
  const found = isString(value) && AT.exec(value);
  if (!found) return false;
  const at = new Date(`${found[1]}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString() === `${found[1]}Z`;
}

const placeAt = (stream, v) => `${stream} v${v}`;
const placeOf = (record) => placeAt(record.stream, record.v);

/** The value of a record's exact bytes, which must be canonical. Throws Failure. */
function readCanonical(text, place) {
  const refuse = (why) => {
    throw new Failure("not_canonical", place, why);
  };
  try {
    const value = parseStrict(text);
    // The data may be nested as deep as any value; the record is one level above it.
    if (!isObject(value) || canonical(value, NESTING_MAX + 1) !== text) refuse("another spelling");
    if (utf8(text).length > RECORD_BYTES_MAX) refuse("a record too long");
    return value;
  } catch (fault) {
    return fault instanceof Failure ? refuse(fault.detail) : refuse(fault.message);
  }
}

// Members of meta (2.3): the first two are always there, the others where they apply.
const META = {
  actor: isString,
  cmd: isUuid,
  cause: isString,
  auto: (value) => value === true,
};

const isMeta = (meta) =>
  isObject(meta) &&
  "actor" in meta &&
  "cmd" in meta &&
  Object.entries(meta).every(([name, value]) => has(META, name) && META[name](value));

/** Refuses a value that is not a record: its ten members and their types. */
function requireRecord(value, place) {
  const isRecord =
    Object.keys(value).sort().join(" ") === MEMBERS &&
    isTime(value.at) &&
    isObject(value.data) &&
    value.fmt === EVENT_FORMAT &&
    isUuid(value.id) &&
    isMeta(value.meta) &&
    isHash(value.prev) &&
    isInteger(1)(value.schema) &&
    isMatch(STREAM)(value.stream) &&
    isMatch(TYPE)(value.type) &&
    isInteger(1)(value.v);
  if (!isRecord) throw new Failure("bad_record", place);
  requireShape(value, place);
}

// The fields of events that are read below. A list of one is a list of any length, `optional` may be null; what
// stands here only is not read for its meaning.
const optional = (shape) => ({ optional: shape });
const seat = (value) => isInteger(1)(value) && value <= 6;
const integer = Number.isSafeInteger;
const count = isInteger(0);
const bool = (value) => typeof value === "boolean";
const text = isString;
const hash = isHash;
const uuid = isUuid;

const OF_SEAT = { seat, player: uuid };
const AMOUNT_OF_SEAT = { ...OF_SEAT, amount: integer };
const PLACED = { card: text, place: count };
const ADJUSTMENT = {
  adjustment: uuid, lines: [{ account: text, amount: integer }], currency: text, proposer: text,
  reverses: optional(text),
};
const PAYOUT = { player: uuid, pool: count, fee: count, bounty: count };
const OPTIONS = {
  deck: count, jokers: count, hand_size: count, initial_upcard: bool, count_method: text, face_values: [count],
  joker_value: count, deuces_wild: bool, ace_runs: text,
};
const SHAPES = {
  SeatTaken: { ...OF_SEAT, buy_in: count, currency: text },
  StackToppedUp: { ...OF_SEAT, amount: count, currency: text },
  SeatCashedOut: { ...OF_SEAT, amount: count, currency: text },
  SeedAnchored: { ...OF_SEAT, anchor: hash, length: count },
  ShuffleCommitted: {
    hand: uuid, hand_no: count, commit: hash, deck_spec: text, fairness: text, dealer: seat,
    seats: [{ ...OF_SEAT, bot: optional(text), anchored: bool }],
  },
  SeedRevealed: { hand: uuid, ...OF_SEAT, index: count, seed: hash },
  ShuffleAborted: { hand: uuid, missing: [seat], server_seed: hash },
  HandDealt: {
    hand: uuid, hand_no: count, rules: { options: OPTIONS }, fairness: text, deck_spec: text, commit: hash,
    transcript: hash, deck_root: hash, beacon: optional(hash),
    players: [{ ...OF_SEAT, bot: optional(text), stack: integer, seed: text }],
    dealer: seat, currency: text, payment: text, hand_size: count, upcard: optional(PLACED),
  },
  CardDrawn: { seat, source: text, place: count, card: optional(text) },
  SpreadLaid: { seat, cards: [text], places: [count] },
  CardHit: { seat, ...PLACED },
  CardDiscarded: { seat, ...PLACED },
  CardSlapped: { seat, ...PLACED, shed: optional(PLACED) },
  PileReshuffled: { hand: uuid, shuffle_no: count, places: [count], root: hash },
  HandEnded: {
    hand: uuid, held: [{ seat, cards: [text], places: [count], count }],
    transfers: [{ from_seat: seat, to_seat: seat, amount: count }],
    paid: optional([{ from_seat: seat, to_seat: seat, amount: count }]),
    net: [AMOUNT_OF_SEAT], rake: [AMOUNT_OF_SEAT], stacks: [AMOUNT_OF_SEAT], currency: text,
  },
  HandRevealed: { hand: uuid, server_seed: hash },
  HandVoided: { hand: uuid, reason: text, server_seed: optional(hash), stacks: [AMOUNT_OF_SEAT] },
  EntryPaid: { player: uuid, buy_in: count, currency: text },
  ReEntered: { player: uuid, buy_in: count, currency: text },
  RebuyBought: { player: uuid, amount: count, currency: text },
  AddOnBought: { player: uuid, amount: count, currency: text },
  EntryRefunded: { ...PAYOUT, currency: text },
  BountyPaid: { paid: [{ player: uuid, amount: count }], currency: text },
  PrizesComputed: {
    part: count, parts: count, currency: text, overlay: count, rake: count, heads_to_pool: count,
    prizes: [{ player: uuid, amount: count }],
  },
  CompensationPosted: {
    part: count, parts: count, currency: text, debits: [{ player: uuid, wallet: count, receivable: count }],
    credits: [{ player: uuid, amount: count }],
  },
  Cancelled: { part: count, parts: count, currency: text, refunds: [PAYOUT] },
  DepositRecorded: { amount: count, currency: text, method: text, approved_by: [text] },
  ChipsGranted: { amount: count, currency: text },
  WithdrawalRequested: { withdrawal: uuid, amount: count, currency: text },
  WithdrawalPaid: { withdrawal: uuid, amount: count, currency: text, method: text, approved_by: [text] },
  WithdrawalReturned: { withdrawal: uuid, amount: count, currency: text },
  AdjustmentProposed: ADJUSTMENT,
  AdjustmentApproved: { ...ADJUSTMENT, approver: text },
};

function isShaped(value, shape) {
  if (typeof shape === "function") return shape(value);
  if (Array.isArray(shape)) return Array.isArray(value) && value.every((item) => isShaped(item, shape[0]));
  if ("optional" in shape) return value === null || isShaped(value, shape.optional);
  return isObject(value) && Object.keys(shape).every((name) => name in value && isShaped(value[name], shape[name]));
}

/** Refuses an event that this page's checks would misread: another schema, or other fields. */
function requireShape(record, place) {
  const shape = SHAPES[record.type];
  if (!shape) return;
  if (record.schema !== 1) throw new Failure("bad_record", place, `unknown schema ${record.schema}`);
  for (const name of Object.keys(shape)) {
    if (!(name in record.data) || !isShaped(record.data[name], shape[name])) {
      throw new Failure("bad_record", place, `field ${name}`);
    }
  }
}

/** Hashes of many texts by WebCrypto where there is one, else here. */
async function hashesOf(texts) {
  if (!globalThis.crypto?.subtle) return texts.map(leafHash);
  const digest = (one) => crypto.subtle.digest("SHA-256", joined(LEAF, utf8(one)));
  return (await Promise.all(texts.map(digest))).map((one) => toHex(new Uint8Array(one)));
}

// --- slices: checks V05 to V09 ----------------------------------------------------------------------------

/** A part of a stream: exact texts of its records, then their values and hashes. */
class Slice {
  constructor({ stream, from, to, records, inclusion }) {
    Object.assign(this, { stream, from, to, texts: records, inclusion });
    this.records = [];
  }

  placeAt(i) {
    return placeAt(this.stream, this.from + i);
  }

  readRecords() {
    this.records = this.texts.map((one, i) => readCanonical(one, this.placeAt(i)));
  }

  requireRecords() {
    this.records.forEach((record, i) => {
      requireRecord(record, this.placeAt(i));
      if (record.stream !== this.stream) throw new Failure("bad_record", this.placeAt(i), "of another stream");
      if (record.v !== this.from + i) throw new Failure("gap", this.placeAt(i), `version ${record.v}`);
    });
    const last = this.from + this.records.length - 1;
    if (last !== this.to) throw new Failure("gap", this.placeAt(this.records.length), "not the last one");
  }

  async requireChain() {
    this.hashes = await hashesOf(this.texts);
    this.records.forEach((record, i) => {
      record.hash = this.hashes[i];
      const before = i ? this.hashes[i - 1] : record.v === 1 ? NO_HASH : record.prev;
      if (record.prev !== before) throw new Failure("broken_chain", this.placeAt(i));
    });
  }

  requireTimes(ids) {
    this.records.forEach((record, i) => {
      if (i && record.at < this.records[i - 1].at) throw new Failure("time_runs_back", this.placeAt(i));
      if (ids.has(record.id)) throw new Failure("duplicate_id", this.placeAt(i));
      ids.add(record.id);
    });
  }

  requireInclusion(note) {
    const { index, size, path } = this.inclusion;
    const isRight = index < size && size === note.size && this.hashes.length > 0;
    const proved = { index, size, path, leaf: this.hashes.at(-1), root: note.root };
    if (!isRight || !isIncluded(proved)) throw new Failure("not_included", placeAt(this.stream, this.to));
  }

  /** The record of a version, undefined outside of the slice. */
  at(v) {
    return this.records[v - this.from];
  }
}

// --- hands: checks V13 to V20 -----------------------------------------------------------------------------

const PLAYS = new Set("CardDrawn SpreadLaid CardHit CardDiscarded CardSlapped Knocked StockRefused".split(" "));
const TOURNAMENT_CURRENCY = "CHIPS";

const sum = (numbers) => {
  const total = numbers.reduce((all, one) => all + BigInt(one), 0n);
  return Number.isSafeInteger(Number(total)) ? Number(total) : Number.NaN; // equal to nothing
};

const KEY_LOST = "dealer_key_lost";
const same = (a, b) => a.length === b.length && a.every((item, i) => item === b[i]);
const seatsOf = (list) => list.map((one) => `${one.seat} ${one.player}`);
const byData = (list, of) => new Map(list.map((one) => [of(one), one]));

/** The records of one hand. `isCut`: it began before the slice, so less is known of it. */
class Hand {
  constructor(id, isCut = false) {
    this.id = id;
    this.isCut = isCut;
    this.seeds = [];
    this.plays = [];
    for (const name of ["committed", "dealt", "ended", "revealed", "voided", "aborted"]) this[name] = null;
    this.links = new Map(); // by seat and player: what the seed of this hand must follow
    this.anchoredHere = new Set(); // whose anchors can not lie before the slice; null: nobody's can
    this.isClaimed = false;
  }

  get isOver() {
    return Boolean(this.revealed || this.voided || this.aborted);
  }

  /** Given up since the key that sealed its seed was lost: nobody can check its deal any more. */
  get isWithoutSeed() {
    return this.voided?.data.server_seed === null && this.voided.data.reason === KEY_LOST;
  }

  get serverSeed() {
    return (this.revealed ?? this.voided ?? this.aborted)?.data.server_seed ?? null;
  }
}

const outOfOrder = (record, why) => new Failure("deal_out_of_order", placeOf(record), why);

/** Sorts the records of a table by hands as they come, and keeps what is out of order. */
class Table {
  constructor(isWhole) {
    this.hands = [];
    this.disorder = null; // the first record out of order, for V14
    this.strays = []; // what is wrong with seeds and aborts of no hand, for V15 and V20
    this.open = isWhole ? null : new Hand(null, true);
    this.isWhole = isWhole;
    this.links = new Map(); // by seat and player: the newest anchor or seed
    this.seated = new Set(); // who sat down here: no anchor of his lies further back
  }

  /** The hands of a slice; the one that is claimed must be whole, its anchors too. */
  static of(slice, { claimed = null, hasAnchors = true } = {}) {
    const table = new Table(slice.from === 1);
    slice.records.forEach((record) => table.push(record));
    if (table.open?.ended) table.disorder ??= outOfOrder(table.open.ended, "no HandRevealed");
    if (claimed) table.requireWhole(slice, claimed, hasAnchors);
    return table;
  }

  push(record) {
    const fault = this.take(record);
    this.disorder ??= fault;
  }

  requireWhole(slice, claimed, hasAnchors) {
    const hand = this.hands.find((one) => one.id === claimed);
    const isWhole = hand?.committed && hand.dealt && (hand.ended || hand.voided);
    if (!isWhole) this.disorder ??= outOfOrder(hand?.ended ?? slice.records.at(-1), "the hand is not whole");
    if (hand) hand.isClaimed = hasAnchors;
  }

  requireNoStray(error) {
    const stray = this.strays.find((one) => one.error === error);
    if (stray) throw stray;
  }

  /** What is wrong with the place of a record, null if nothing is. */
  take(record) {
    const { open } = this;
    if (open?.ended && record.type !== "HandRevealed") {
      this.open = null;
      this.take(record);
      return outOfOrder(record, "HandRevealed must be next");
    }
    const step = PLAYS.has(record.type) ? this.takePlay : record.type in SHAPES && this[`take${record.type}`];
    return step ? step.call(this, record, open) : null;
  }

  /** The open hand, if the record may belong to it in its present state; a cut one takes its id from it. */
  belongs(record, isAllowed) {
    const { open } = this;
    if (!open) return null;
    if (open.isCut && open.id === null && "hand" in record.data) {
      open.id = record.data.hand;
      this.hands.push(open);
    }
    const isIts = !("hand" in record.data) || record.data.hand === open.id;
    return isIts && isAllowed(open) ? open : null;
  }

  takeSeedAnchored({ data }) {
    this.links.set(seatsOf([data])[0], { link: data.anchor, index: 0, length: data.length });
    return null;
  }

  takeSeatTaken({ data }) {
    const [key] = seatsOf([data]);
    this.links.delete(key);
    this.seated.add(key);
    return null;
  }

  takeShuffleCommitted(record, open) {
    const isFree = !open || (open.isCut && !open.dealt && !open.plays.length && !open.seeds.length);
    this.open = new Hand(record.data.hand);
    this.open.committed = record;
    this.open.anchoredHere = this.isWhole ? null : new Set(this.seated);
    for (const key of seatsOf(record.data.seats)) this.open.links.set(key, this.links.get(key));
    this.hands.push(this.open);
    return isFree ? null : outOfOrder(record, "the hand before is not over");
  }

  takeSeedRevealed(record) {
    const hand = this.belongs(record, (one) => !one.dealt);
    if (hand) this.follow(hand, record);
    else this.strays.push(new Failure("bad_seed", placeOf(record), "nobody asked for it"));
    return null;
  }

  takeShuffleAborted(record) {
    const hand = this.belongs(record, (one) => !one.dealt);
    if (hand) hand.aborted = record;
    else this.strays.push(new Failure("abort_mismatch", placeOf(record), "no commitment of this hand is open"));
    if (!this.open?.dealt) this.open = null;
    return null;
  }

  takeHandDealt(record) {
    const hand = this.belongs(record, (one) => !one.dealt && (one.committed || one.isCut));
    if (!hand) return outOfOrder(record, "no commitment");
    hand.dealt = record;
    return null;
  }

  takePlay(record) {
    const hand = this.belongs(record, (one) => one.dealt || one.isCut);
    if (!hand) return outOfOrder(record, "no hand is dealt");
    hand.plays.push(record);
    return null;
  }

  takePileReshuffled(record) {
    return this.takePlay(record);
  }

  takeHandEnded(record) {
    const hand = this.belongs(record, (one) => (one.dealt || one.isCut) && !one.ended);
    if (!hand) {
      this.open = new Hand(record.data.hand);
      this.open.ended = record;
      this.hands.push(this.open);
      return outOfOrder(record, "no hand is dealt");
    }
    hand.ended = record;
    return null;
  }

  takeHandRevealed(record) {
    const hand = this.belongs(record, (one) => one.ended);
    this.open = null;
    if (!hand) return outOfOrder(record, "no HandEnded before it");
    hand.revealed = record;
    return null;
  }

  takeHandVoided(record) {
    const hand = this.belongs(record, (one) => !one.ended);
    this.open = null;
    if (!hand) return outOfOrder(record, "no hand runs");
    hand.voided = record;
    return null;
  }

  /** A seed takes the place of the link that it follows; an anchor that came since stays for the next hand. */
  follow(hand, record) {
    const { data } = record;
    const [key] = seatsOf([data]);
    hand.seeds.push(record);
    if (this.links.get(key) === hand.links.get(key)) {
      this.links.set(key, { ...this.links.get(key), link: data.seed, index: data.index });
    }
  }
}

/** V13: the amounts of a hand's end follow from its payments; a void hand moves none. */
function requireBalance({ ended, voided, dealt, committed }) {
  if (voided && (dealt || committed)) {
    const players = dealt?.data.players ?? []; // before the deal there are no stacks to be named
    const { stacks } = voided.data;
    const isSame = same(players.map((one) => one.stack), stacks.map((one) => one.amount));
    if (!isSame || !same(seatsOf(players), seatsOf(stacks))) {
      throw new Failure("hand_not_balanced", placeOf(voided), "stacks are not as dealt");
    }
  }
  if (!ended) return;
  const { transfers, paid, net, rake, stacks, currency } = ended.data;
  const refuse = (why) => {
    throw new Failure("hand_not_balanced", placeOf(ended), why);
  };
  const nets = byData(net, (one) => one.seat);
  if (nets.size !== net.length) refuse("a seat twice in net");
  const payments = paid ?? transfers;
  const isBetween = (one) => nets.has(one.from_seat) && nets.has(one.to_seat) && one.from_seat !== one.to_seat;
  if (!payments.every(isBetween)) refuse("a payment of no seat");
  if (paid !== null && currency !== TOURNAMENT_CURRENCY) refuse("payments at a money table");
  for (const { seat: number, amount } of net) {
    const got = payments.filter((one) => one.to_seat === number).map((one) => one.amount);
    const gave = payments.filter((one) => one.from_seat === number).map((one) => -one.amount);
    if (sum([...got, ...gave]) !== amount) refuse(`net of seat ${number}`);
  }
  if (sum(net.map((one) => one.amount)) !== 0) refuse("the nets do not sum to 0");
  const rakes = byData(rake, (one) => one.seat);
  if (rakes.size !== rake.length) refuse("a seat twice in rake");
  for (const { seat: number, amount } of rake) {
    const won = nets.get(number)?.amount ?? 0;
    if (amount <= 0 || won <= 0 || amount > won) refuse(`rake of seat ${number}`);
  }
  if (!dealt) return;
  if (dealt.data.currency !== currency) refuse("another currency");
  const players = dealt.data.players;
  if (!same(seatsOf(stacks), seatsOf(players)) || !same(seatsOf(net), seatsOf(players))) refuse("other seats");
  const mayOwe = currency === TOURNAMENT_CURRENCY && dealt.data.payment === "full";
  players.forEach((player, i) => {
    const { seat: number, amount } = stacks[i];
    const before = [player.stack, nets.get(number).amount, -(rakes.get(number)?.amount ?? 0)];
    if (sum(before) !== amount) refuse(`stack of seat ${number}`);
    if (amount < 0 && !mayOwe) refuse(`seat ${number} is below 0`);
  });
}

/** V14: who sits and deals is fixed by the commitment, and the revealed seed fits it. */
function requireDeal(hand) {
  const { committed, dealt, ended } = hand;
  const differs = (record, why) => {
    throw outOfOrder(record, why);
  };
  if (committed && dealt) {
    for (const name of ["hand_no", "deck_spec", "fairness", "dealer"]) {
      if (committed.data[name] !== dealt.data[name]) differs(dealt, `another ${name}`);
    }
    const who = (list) => list.map((one) => `${one.seat} ${one.player} ${one.bot}`);
    if (!same(who(committed.data.seats), who(dealt.data.players))) differs(dealt, "other seats");
    if (committed.data.commit !== dealt.data.commit) throw new Failure("commit_mismatch", placeOf(dealt));
  }
  if (dealt && !has(DECKS, dealt.data.deck_spec)) differs(dealt, "an unknown deck");
  const numbers = dealt?.data.players.map((one) => one.seat) ?? [];
  const isAscending = numbers.every((number, i) => !i || numbers[i - 1] < number);
  if (dealt && (!isAscending || !numbers.includes(dealt.data.dealer))) differs(dealt, "no order of seats");
  if (dealt && ended) {
    const isHeld = same(ended.data.held.map((one) => one.seat), numbers);
    if (!isHeld || !same(seatsOf(ended.data.net), seatsOf(dealt.data.players))) differs(ended, "other seats");
  }
  const commitment = (committed ?? dealt)?.data.commit;
  if (hand.voided && hand.serverSeed === null && !hand.isWithoutSeed) {
    throw new Failure("commit_mismatch", placeOf(hand.voided), "no seed");
  }
  if (hand.aborted || hand.serverSeed === null || commitment === undefined) return;
  const reveal = hand.revealed ?? hand.voided;
  if (commit(hand.id, hand.serverSeed) !== commitment) throw new Failure("commit_mismatch", placeOf(reveal));
}

/** V15: each seed is the next link of its chain, and the deal states truly who gave one. */
function requireSeeds(hand) {
  const { committed, dealt, seeds } = hand;
  const refuse = (record, why) => {
    throw new Failure("bad_seed", placeOf(record), why);
  };
  const given = new Map();
  for (const record of seeds) {
    const { seat: number, seed, index } = record.data;
    if (given.has(number)) refuse(record, "a second seed");
    given.set(number, seed);
    if (committed) {
      const who = committed.data.seats.find((one) => one.seat === number);
      if (who?.player !== record.data.player || !who.anchored) refuse(record, "no anchored seat of this hand");
    }
    const [key] = seatsOf([record.data]);
    const last = hand.links.get(key);
    const isNeeded = hand.isClaimed || (committed && (hand.anchoredHere?.has(key) ?? true));
    if (last?.length === undefined && isNeeded) refuse(record, "no anchor");
    if (!last) continue;
    const isNext = index === last.index + 1 && index <= (last.length ?? ANCHOR_LENGTH_MAX);
    if (!isNext || !isNextLink(seed, last.link)) refuse(record, "not the next link");
  }
  if (!dealt) return;
  for (const player of dealt.data.players) {
    const isAnchored = committed?.data.seats.find((one) => one.seat === player.seat)?.anchored;
    const silent = isAnchored ? "missing" : "none";
    const expected = given.has(player.seat) ? "revealed" : silent;
    const isKnown = ["revealed", "missing", "none"].includes(player.seed);
    // Of a hand that began before the slice it is not known who was anchored.
    if (!isKnown || (committed && player.seed !== expected)) refuse(dealt, `seat ${player.seat} is ${player.seed}`);
    const mustGive = dealt.data.fairness === "strict" && player.bot === null;
    if (player.seed === "missing" ? dealt.data.fairness === "strict" : mustGive && player.seed === "none") {
      refuse(dealt, `a strict hand without the seed of seat ${player.seat}`);
    }
  }
}

/** V16: transcript, deck and reshuffles follow from the seeds. Leaves the deck in `hand.deck`. */
function requireDecks(hand) {
  const { dealt, committed } = hand;
  if (!dealt || !committed) return;
  const { data } = dealt;
  const given = new Map(hand.seeds.map((record) => [record.data.seat, record.data.seed]));
  const seats = data.players.map(({ seat: number, player }) => ({
    seat: number,
    player,
    seed: given.get(number) ?? "",
  }));
  const beacon = data.beacon ?? "";
  const stated = { hand: hand.id, commit: data.commit, deckSpec: data.deck_spec, beacon, seats };
  if ((data.fairness === "beacon") !== (beacon !== "") || transcript(stated) !== data.transcript) {
    throw new Failure("transcript_mismatch", placeOf(dealt));
  }
  const { deck, jokers } = data.rules.options;
  if (data.deck_spec !== `std${deck}${jokers ? `j${jokers}` : ""}/1`) {
    throw new Failure("deck_mismatch", placeOf(dealt), "another deck than that of the rules");
  }
  if (hand.serverSeed === null) return;
  const key = handKey(hand.serverSeed, data.transcript);
  const sealed = sealedDeck(hand.id, key, 0, DECKS[data.deck_spec]);
  if (sealed.root !== data.deck_root) throw new Failure("deck_mismatch", placeOf(dealt));
  hand.deck = new Map(sealed.order.map((code, place) => [place, code]));
  for (const [i, record] of hand.plays.filter((one) => one.type === "PileReshuffled").entries()) {
    const { places, root } = record.data;
    const shuffleNo = i + 1; // whether it is the one that is named is a matter of places
    const input = places.map((place) => hand.deck.get(place));
    const again = input.includes(undefined) ? null : sealedDeck(hand.id, key, shuffleNo, input);
    if (again?.root !== root) throw new Failure("deck_mismatch", placeOf(record));
    again.order.forEach((code, position) => hand.deck.set(PLACES_PER_SHUFFLE * shuffleNo + position, code));
  }
}

/** The course of a hand by places; what is wrong is kept by the check that it belongs to. */
class Course {
  constructor(hand) {
    this.hand = hand;
    this.faults = {};
    const { data } = hand.dealt;
    this.options = data.rules.options;
    this.isKnown = hand.deck !== undefined;
    this.dealOut(data);
    for (const record of hand.plays) this[`on${record.type}`]?.(record, record.data);
    if (hand.ended) this.atEnd(hand.ended);
  }

  fault(check, error, record, why) {
    this.faults[check] ??= new Failure(error, placeOf(record), why);
  }

  dealOut({ players, dealer, hand_size: handSize, upcard, deck_spec: spec }) {
    const numbers = players.map((one) => one.seat);
    const first = numbers.indexOf(dealer) + 1;
    this.end = DECKS[spec].length;
    const dealt = Math.min(numbers.length * handSize, this.end);
    this.held = new Map(numbers.map((number) => [number, new Set()]));
    for (let i = 0; i < dealt; i += 1) this.held.get(numbers[(first + i) % numbers.length]).add(i);
    this.pile = upcard ? [upcard.place] : [];
    this.next = dealt + (upcard ? 1 : 0);
    this.taken = new Set(Array.from({ length: this.next }, (_, place) => place));
    if (numbers.length * handSize > dealt || this.next > this.end) {
      this.fault("V17", "wrong_place", this.hand.dealt, "more cards than the deck has");
    }
    if (handSize !== this.options.hand_size || (upcard !== null) !== this.options.initial_upcard) {
      this.fault("V17", "wrong_place", this.hand.dealt, "another deal than that of the rules");
    }
    if (upcard && upcard.place !== dealt) this.fault("V17", "wrong_place", this.hand.dealt, "the upcard");
    if (upcard) this.named(this.hand.dealt, upcard.card, upcard.place);
  }

  named(record, card, place) {
    if (!this.isKnown) return;
    if (CODES.get(card) !== this.hand.deck.get(place) || !CODES.has(card)) {
      this.fault("V18", "card_mismatch", record, `${card} at place ${place}`);
    }
  }

  /** A named card leaves a seat's hand. */
  plays(record, number, card, place) {
    if (!this.held.get(number)?.delete(place)) this.fault("V18", "not_held", record, `${card} at place ${place}`);
    this.named(record, card, place);
  }

  onCardDrawn(record, { seat: number, source, place, card }) {
    if (source === "discard") {
      this.takeTop(record, place);
    } else if (this.taken.has(place)) {
      this.fault("V17", "place_taken_twice", record, `place ${place}`);
    } else if (source !== "stock" || place !== this.next || place >= this.end) {
      this.fault("V17", "wrong_place", record, `place ${place}`);
    } else {
      this.next += 1;
    }
    this.taken.add(place);
    if (card !== null) this.named(record, card, place);
    else if (source === "discard") this.fault("V18", "card_mismatch", record, "an open card without its name");
    if (!this.held.has(number)) this.fault("V17", "wrong_place", record, `seat ${number} is not in the hand`);
    this.held.get(number)?.add(place);
  }

  takeTop(record, place) {
    if (this.pile.at(-1) !== place) this.fault("V17", "wrong_place", record, `${place} is not the top discard`);
    this.pile = this.pile.filter((one) => one !== place);
  }

  onSpreadLaid(record, { seat: number, cards, places }) {
    if (cards.length !== places.length) this.fault("V18", "card_mismatch", record, "lists of unequal length");
    places.forEach((place, i) => this.plays(record, number, cards[i], place));
  }

  onCardHit(record, { seat: number, card, place }) {
    this.plays(record, number, card, place);
  }

  onCardDiscarded(record, { seat: number, card, place }) {
    this.plays(record, number, card, place);
    this.pile.push(place);
  }

  onCardSlapped(record, { seat: number, card, place, shed }) {
    this.takeTop(record, place);
    this.named(record, card, place);
    if (!shed) return;
    this.plays(record, number, shed.card, shed.place);
    this.pile.push(shed.place);
  }

  onPileReshuffled(record, { places, shuffle_no: shuffleNo }) {
    const isRight = same(places, this.pile.slice(0, -1)) && this.next === this.end;
    if (!isRight || shuffleNo !== (this.shuffles ?? 0) + 1) {
      this.fault("V17", "wrong_place", record, "not the pile under its top card");
    }
    this.shuffles = shuffleNo;
    this.pile = this.pile.slice(-1);
    this.next = PLACES_PER_SHUFFLE * shuffleNo;
    this.end = this.next + places.length;
  }

  atEnd(record) {
    const stated = byData(record.data.held, (one) => one.seat);
    const isComplete = stated.size === record.data.held.length && stated.size === this.held.size;
    if (!isComplete) this.fault("V19", "hand_mismatch", record, "not every seat once");
    for (const { seat: number, cards, places, count: stands } of record.data.held) {
      const held = this.held.get(number);
      const counts = [held?.size, new Set(places).size, cards.length];
      const isCard = (place, i) => !this.isKnown || this.hand.deck.get(place) === CODES.get(cards[i]);
      const isHeld = (place, i) => held.has(place) && isCard(place, i);
      if (!counts.every((one) => one === places.length) || !places.every(isHeld)) {
        this.fault("V19", "hand_mismatch", record, `seat ${number}`);
      } else if (heldTotal(cards, this.options) !== stands) {
        this.fault("V19", "count_mismatch", record, `seat ${number}`);
      }
    }
  }
}

/** Problems of the course of a hand that belong to one check. */
function requireCourse(hand, check) {
  if (!hand.dealt || !hand.committed) return;
  hand.course ??= new Course(hand);
  if (hand.course.faults[check]) throw hand.course.faults[check];
}

/** V20: an aborted commitment is opened, and whoever is blamed gave nothing. */
function requireAbort(hand) {
  const { aborted, committed, seeds } = hand;
  if (!aborted || !committed) return;
  const place = placeOf(aborted);
  if (commit(hand.id, aborted.data.server_seed) !== committed.data.commit) {
    throw new Failure("abort_mismatch", place, "the seed does not fit the commitment");
  }
  for (const number of aborted.data.missing) {
    const isAsked = committed.data.seats.some((one) => one.seat === number && one.anchored);
    const isSilent = !seeds.some((one) => one.data.seat === number);
    if (!isAsked || !isSilent) throw new Failure("abort_mismatch", place, `seat ${number}`);
  }
}

// --- what held cards count (rules.md, sections 3 and 4) ---------------------------------------------------

const HELD_MAX = 14; // twelve dealt cards and the one that was drawn are the most that a hand may hold
const ACE = 0;
const DEUCE = 1;

/** Points of one card, by code. */
function pointsOf(code, { face_values: faces, joker_value: joker, deuces_wild: isWild }) {
  if (code >= 52) return joker;
  const rank = code % 13;
  if (isWild && rank === DEUCE) return 2;
  return rank < 10 ? rank + 1 : faces[rank - 10];
}

/** What cards count under the count method of the rules; NaN if one has no name. */
function heldTotal(cards, options) {
  const codes = cards.map((card) => CODES.get(card));
  if (codes.includes(undefined) || codes.length > HELD_MAX) return Number.NaN;
  const points = codes.map((code) => pointsOf(code, options));
  if (options.count_method === "all_held") return sum(points);
  if (options.count_method !== "deadwood") return Number.NaN;
  return leastLeft(codes, points, options);
}

/** Least sum over any choice of disjoint spreads: sets of cards are the bits of a number. */
function leastLeft(codes, points, options) {
  const all = 2 ** codes.length;
  const chosen = (mask) => codes.filter((_, i) => mask & (1 << i));
  const laid = new Int32Array(all); // the most points that spreads take out of a set
  for (let mask = 1; mask < all; mask += 1) {
    const low = mask & -mask;
    // The lowest card is left over, or lies in one spread with others of the set.
    laid[mask] = laid[mask ^ low];
    for (let rest = mask ^ low, part = rest; part > 0; part = (part - 1) & rest) {
      const spread = part | low;
      if (!spreads(spread)) continue;
      const worth = pointsIn(spread) + laid[mask ^ spread];
      if (worth > laid[mask]) laid[mask] = worth;
    }
  }
  return sum(points) - laid[all - 1];

  function pointsIn(mask) {
    return points.reduce((total, one, i) => total + (mask & (1 << i) ? one : 0), 0);
  }

  function spreads(mask) {
    spreads.known ??= new Int8Array(all);
    spreads.known[mask] ||= isSpread(chosen(mask), options) ? 1 : -1;
    return spreads.known[mask] === 1;
  }
}

/** Whether cards are one book or one run, in the best reading of their wild cards. */
function isSpread(codes, options) {
  return codes.length >= 3 && (isBook(codes, options) || isRun(codes, options));
}

const isJoker = (code) => code >= 52;
const isWildDeuce = (code, options) => options.deuces_wild && code < 52 && code % 13 === DEUCE;

function isBook(codes, options) {
  if (codes.length > 4) return false;
  const ranks = codes.filter((code) => !isJoker(code)).map((code) => code % 13);
  const isOf = (rank) => {
    const naturals = ranks.filter((one) => one === rank).length;
    const wild = codes.filter((code) => isJoker(code) || (rank !== DEUCE && isWildDeuce(code, options))).length;
    return naturals >= 2 && naturals + wild === codes.length;
  };
  return [...new Set(ranks)].some(isOf);
}

function isRun(codes, options) {
  // Ranks in the order of a run; the ace stands at both ends where it may.
  const isIn = (rank) => options.deck === 52 || !"89T".includes(RANKS[rank]);
  const line = [...RANKS].map((_, rank) => rank).filter(isIn);
  const longest = line.length;
  if (options.ace_runs === "high_or_low") line.push(ACE);
  if (codes.length > longest) return false;
  const plain = codes.filter((code) => !isJoker(code) && !isWildDeuce(code, options));
  const wild = codes.filter((code) => !plain.includes(code));
  const suits = new Set(plain.map((code) => Math.floor(code / 13)));
  if (suits.size > 1) return false;
  // With fewer than two plain cards a deuce in its own place must be the second natural one.
  const candidates = suits.size ? [...suits] : [0, 1, 2, 3];
  return candidates.some((suit) => {
    for (let low = 0; low + codes.length <= line.length; low += 1) {
      const places = line.slice(low, low + codes.length);
      const inPlace = plain.filter((code) => places.includes(code % 13)).length;
      const isOwnDeuce = places.includes(DEUCE) && wild.includes(13 * suit + DEUCE);
      if (inPlace === plain.length && inPlace + (isOwnDeuce ? 1 : 0) >= 2) return true;
    }
    return false;
  });
}

// --- what an entry must say (6.3; ledger.md, section 3) ---------------------------------------------------

const HOUSE_ROLES = new Set(
  "cash rake fee_income overlay promotion payment_costs bad_debt opening issue adjustment".split(" "),
);
const KINDS = new Set([
  ..."hand cash_out prize bounty refund compensation deposit grant".split(" "),
  ..."withdrawal_paid withdrawal_returned adjustment reversal".split(" "),
]);
const OF_TOURNAMENTS = new Set(["prize", "bounty", "refund", "compensation"]);
const FIRST_PAYOUT = 10; // part of the first of a list of payouts

const leg = (account, amount) => ({ account, amount });
const move = (amount, debit, credit) => [leg(debit, amount), leg(credit, -amount)];

/** Account codes of one currency, as an event of one stream speaks of them. */
class Accounts {
  constructor(stream, currency) {
    this.subject = stream.split("/")[1];
    this.currency = currency;
  }

  of(...names) {
    return [...names, this.currency].join(":");
  }

  wallet(player = this.subject) {
    return this.of("wallet", player);
  }

  seat(player) {
    return this.of("seat", this.subject, player);
  }

  pool() {
    return this.of("tournament", this.subject);
  }

  /** Back out of the three accounts of a tournament. */
  refund({ player, pool, fee, bounty }) {
    const [heads, fees] = [this.of("bounty", this.subject), this.of("fees", this.subject)];
    const back = leg(this.wallet(player), -(pool + fee + bounty));
    return [leg(this.pool(), pool), leg(fees, fee), leg(heads, bounty), back];
  }
}

/** Legs by source event: kind of entry and legs of a part, undefined where the event has no such part. */
const STATED = {
  HandEnded(to, { net, rake }, part) {
    const rakes = new Map(rake.map((one) => [one.player, one.amount]));
    const legs = net.map(({ player, amount }) => leg(to.seat(player), (rakes.get(player) ?? 0) - amount));
    const taken = sum(rake.map((one) => one.amount));
    return part === 0 ? ["hand", [...legs, leg(to.of("rake"), -taken)]] : undefined;
  },
  SeatCashedOut(to, { player, amount }, part) {
    return part === 0 ? ["cash_out", move(amount, to.seat(player), to.wallet(player))] : undefined;
  },
  PrizesComputed(to, { prizes }, part) {
    const prize = prizes[part - FIRST_PAYOUT];
    return prize && ["prize", move(prize.amount, to.pool(), to.wallet(prize.player))];
  },
  BountyPaid(to, { paid }, part) {
    const head = paid[part - FIRST_PAYOUT];
    return head && ["bounty", move(head.amount, to.of("bounty", to.subject), to.wallet(head.player))];
  },
  EntryRefunded(to, data, part) {
    return part === 0 ? ["refund", to.refund(data)] : undefined;
  },
  Cancelled(to, { refunds }, part) {
    const refund = refunds[part - FIRST_PAYOUT];
    return refund && ["refund", to.refund(refund)];
  },
  CompensationPosted(to, { debits, credits }, part) {
    const owed = debits.flatMap(({ player, wallet, receivable }) => [
      leg(to.wallet(player), wallet),
      leg(to.of("receivable", player), receivable),
    ]);
    const given = credits.map(({ player, amount }) => leg(to.wallet(player), -amount));
    return part === 0 ? ["compensation", [...owed, ...given]] : undefined;
  },
  DepositRecorded(to, { amount, method }, part) {
    return part === 0 ? ["deposit", move(amount, to.of("cash", method), to.wallet())] : undefined;
  },
  ChipsGranted(to, { amount }, part) {
    return part === 0 ? ["grant", move(amount, to.of("issue"), to.wallet())] : undefined;
  },
  WithdrawalPaid(to, { amount, method }, part) {
    const legs = move(amount, to.of("withdrawal", to.subject), to.of("cash", method));
    return part === 0 ? ["withdrawal_paid", legs] : undefined;
  },
  WithdrawalReturned(to, { amount }, part) {
    const legs = move(amount, to.of("withdrawal", to.subject), to.wallet());
    return part === 0 ? ["withdrawal_returned", legs] : undefined;
  },
  AdjustmentApproved(to, { lines, reverses }, part) {
    return part === 0 ? [reverses === null ? "adjustment" : "reversal", lines] : undefined;
  },
};

/** The account without its stripe, which only spreads the load of a house account over rows; a stripe that is not
 * the one of this entry makes it an unknown account. */
function unstriped(account, key) {
  const [role] = account.split(":");
  if (!HOUSE_ROLES.has(role) || !/:[0-9]{2}$/.test(account)) return account;
  const stripe = String(sha256(utf8(key))[0] & 15).padStart(2, "0");
  return account.endsWith(`:${stripe}`) ? account.slice(0, -3) : account;
}

function balances(legs) {
  const found = new Map();
  for (const { account, amount } of legs) found.set(account, sum([found.get(account) ?? 0, amount]));
  return [...found].filter(([, amount]) => amount !== 0).map((one) => one.join(" ")).sort();
}

// --- receipts: checks V01, V02, V10 to V12, V21 to V23 ----------------------------------------------------

const RECEIPT_FORMAT = "tonk/receipt/1";
const RECORDS_MAX = 20_000;
const CURRENCY = /^[A-Z][A-Z0-9]{2,11}$/;
const ACCOUNT = /^[a-z_]+(?::[a-z0-9_-]+)*:[A-Z][A-Z0-9]{2,11}(?::[0-9]{2})?$/;
const AMOUNT_MAX = 10 ** 12;
const isAmount = (value) => Number.isSafeInteger(value) && Math.abs(value) <= AMOUNT_MAX;

function isKey(value) {
  try {
    return Boolean(parseKey(value));
  } catch {
    return false;
  }
}

const INCLUSION = { index: isInteger(0), size: isInteger(1), path: [isHash] };
const RECEIPT = {
  format: isString,
  made_at: isTime,
  log: { origin: isString, keys: [isKey], checkpoint: isString },
  claim: {
    kind: (value) => KINDS.has(value),
    entry: isInteger(1),
    line: isInteger(1),
    account: isMatch(ACCOUNT),
    player: isUuid,
    amount: (value) => isAmount(value) && value > 0,
    currency: isMatch(CURRENCY),
    source: { stream: isMatch(STREAM), version: isInteger(1) },
  },
  entry: {
    id: isInteger(1),
    key: isString,
    kind: isString,
    source_stream: isMatch(STREAM),
    source_version: isInteger(1),
    source_hash: isHash,
    recorded_at: isTime,
    reverses: optional(isString),
    postings: [{ line: isInteger(1), account: isMatch(ACCOUNT), amount: isAmount, currency: isMatch(CURRENCY) }],
  },
  streams: [
    { stream: isMatch(STREAM), from: isInteger(1), to: isInteger(1), records: [isString], inclusion: INCLUSION },
  ],
};

/** Refuses a value of a file unless it has exactly these members and types; the place is the member's path. */
function requireMembers(value, shape, place) {
  const refuse = (why) => {
    throw new Failure("bad_field", place || "the file", why);
  };
  if (typeof shape === "function") return shape(value) || refuse("not what belongs here");
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) refuse("no list");
    return value.forEach((item, i) => requireMembers(item, shape[0], `${place}[${i}]`));
  }
  if ("optional" in shape) return value === null || requireMembers(value, shape.optional, place);
  if (!isObject(value)) refuse("no object");
  const path = (name) => (place ? `${place}.${name}` : name);
  const unknown = Object.keys(value).find((name) => !has(shape, name));
  if (unknown !== undefined) throw new Failure("bad_field", path(unknown), "unknown");
  for (const name of Object.keys(shape)) {
    if (!(name in value)) throw new Failure("bad_field", path(name), "missing");
    requireMembers(value[name], shape[name], path(name));
  }
  return true;
}

/** Text of a file; bytes must be UTF-8. Throws Failure. */
function textOf(source) {
  if (typeof source === "string") return source;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(source);
  } catch {
    throw new Failure("bad_file", "the file", "no UTF-8");
  }
}

/** A receipt and what its checks learn of it. */
class Receipt {
  constructor(source, keys) {
    this.source = source;
    this.keys = keys;
  }

  read() {
    try {
      this.file = parseFile(textOf(this.source));
    } catch (fault) {
      throw fault instanceof Failure ? fault : new Failure("bad_file", "the file", fault.message);
    }
    if (!isObject(this.file)) throw new Failure("bad_file", "the file", "no object");
    if (this.file.format !== RECEIPT_FORMAT) throw new Failure("bad_file", "format", "unknown");
  }

  requireMembers() {
    const { names, ...rest } = this.file;
    if (names === undefined) throw new Failure("bad_field", "names", "missing");
    requireMembers(rest, RECEIPT, "");
    const isNamed = isObject(names) && Object.entries(names).every(([id, name]) => isUuid(id) && isString(name));
    if (!isNamed) throw new Failure("bad_field", "names");
    const { streams, entry, log } = this.file;
    if (!streams.length) throw new Failure("bad_field", "streams", "none");
    if (!entry.postings.length) throw new Failure("bad_field", "entry.postings", "none");
    if (!log.keys.length) throw new Failure("bad_field", "log.keys", "none");
    streams.forEach(({ stream, from, to, records }, i) => {
      const refuse = (why) => {
        throw new Failure("bad_field", `streams[${i}]`, why);
      };
      if (to < from) refuse("to before from");
      if (!records.length || records.length > RECORDS_MAX) refuse("number of records");
      if (i && streams[i - 1].stream >= stream) refuse("not in order of stream");
    });
    this.slices = streams.map((one) => new Slice(one));
  }

  readNote() {
    this.note = parseNote(this.file.log.checkpoint, "log.checkpoint");
  }

  async requireSigned() {
    const { origin, keys } = this.file.log;
    const trusted = (this.keys ?? keys).map(parseKey);
    await requireSigned(this.note, origin, trusted, "log.checkpoint");
  }

  requireSource() {
    const { claim, entry } = this.file;
    const refuse = (place, why) => {
      throw new Failure("source_mismatch", place, why);
    };
    const [stream, version] = [entry.source_stream, entry.source_version];
    if (claim.entry !== entry.id) refuse("claim.entry");
    if (claim.source.stream !== stream || claim.source.version !== version) refuse("claim.source");
    this.record = this.slices.find((one) => one.stream === stream)?.at(version);
    if (!this.record) refuse("entry.source_version", "in no slice");
    if (this.record.hash !== entry.source_hash) refuse("entry.source_hash");
    const isWhole = this.slices.find((one) => one.stream === stream).from === 1;
    if (OF_TOURNAMENTS.has(claim.kind) && !isWhole) refuse("streams", `${stream} does not begin at version 1`);
    const found = /^(.+)#(0|[1-9][0-9]{0,4})$/.exec(entry.key);
    if (found?.[1] !== `${stream}@${version}`) refuse("entry.key");
    this.part = Number(found[2]);
  }

  requirePostings() {
    const { claim, entry } = this.file;
    entry.postings.forEach(({ line, amount }, i) => {
      if (line !== i + 1 || amount === 0) throw new Failure("entry_not_balanced", `entry.postings[${i}]`);
    });
    for (const currency of new Set(entry.postings.map((one) => one.currency))) {
      const total = sum(entry.postings.filter((one) => one.currency === currency).map((one) => one.amount));
      if (total !== 0) throw new Failure("entry_not_balanced", "entry.postings", `${total} ${currency}`);
    }
    const refuse = (place) => {
      throw new Failure("claim_mismatch", place);
    };
    const mine = entry.postings[claim.line - 1] ?? refuse("claim.line");
    if (claim.kind !== entry.kind) refuse("claim.kind");
    if (mine.account !== claim.account || !isOwn(claim.account, claim)) refuse("claim.account");
    if (mine.amount !== (claim.kind === "withdrawal_paid" ? claim.amount : -claim.amount)) refuse("claim.amount");
    if (mine.currency !== claim.currency) refuse("claim.currency");
  }

  requireStated() {
    const { entry, claim } = this.file;
    const { type, stream, data } = this.record;
    const place = placeOf(this.record);
    const currency = data.currency;
    const [kind, legs] = STATED[type]?.(new Accounts(stream, currency), data, this.part) ?? [];
    if (kind !== entry.kind || currency === TOURNAMENT_CURRENCY) {
      throw new Failure("amount_mismatch", place, `states no ${entry.kind} ${this.part}`);
    }
    const posted = entry.postings.map((one) => leg(unstriped(one.account, entry.key), one.amount));
    const isPosted = same(balances(posted), balances(legs)) && posted.length === balances(posted).length;
    const isCurrency = entry.postings.every((one) => one.currency === currency) && claim.currency === currency;
    if (!isPosted || !isCurrency) throw new Failure("amount_mismatch", "entry.postings", place);
    if (entry.reverses !== (type === "AdjustmentApproved" ? data.reverses : null)) {
      throw new Failure("amount_mismatch", "entry.reverses", place);
    }
  }

  /** The hands of all table slices, found once V08 has passed. */
  readTables() {
    const { kind } = this.file.claim;
    const { stream, data } = this.record;
    this.tables = this.slices
      .filter((one) => one.stream.startsWith("table/"))
      .map((one) => Table.of(one, { claimed: kind === "hand" && one.stream === stream ? data.hand : null }));
  }

  /** The events of the source's stream from the slice's start to the source. */
  before() {
    const slice = this.slices.find((one) => one.stream === this.record.stream);
    return slice.records.filter((one) => one.v <= this.record.v);
  }

  requireStack() {
    if (this.record.type !== "SeatCashedOut") return;
    const { player, amount } = this.record.data;
    const refuse = (why) => {
      throw new Failure("stack_mismatch", placeOf(this.record), why);
    };
    let [stack, last] = [null, null];
    for (const { type, data } of this.before()) {
      const isOwn = data.player === player;
      if (type === "SeatTaken" && isOwn) [stack, last] = [data.buy_in, data.buy_in];
      if (stack === null) continue;
      if (type === "StackToppedUp" && isOwn) [stack, last] = [sum([stack, data.amount]), sum([last, data.amount])];
      if (type === "HandEnded") {
        const own = (list) => list.find((one) => one.player === player)?.amount;
        if (own(data.net) === undefined) continue;
        stack = sum([stack, own(data.net), -(own(data.rake) ?? 0)]);
        last = own(data.stacks);
      }
    }
    if (stack === null) refuse("no SeatTaken");
    if (stack !== amount) refuse("not what was brought and won");
    if (last !== amount) refuse("not the last stack");
  }

  /** All parts of the source event; they follow one another. */
  parts() {
    const slice = this.slices.find((one) => one.stream === this.record.stream);
    const { part, parts } = this.record.data;
    const first = this.record.v - part + 1;
    const found = Array.from({ length: Math.min(parts, 64) }, (_, i) => slice.at(first + i));
    const isWhole = found.every(
      (one, i) => one?.type === this.record.type && one.data.part === i + 1 && one.data.parts === parts,
    );
    if (!isWhole || part < 1 || part > parts || found.length !== parts) {
      throw new Failure("prize_mismatch", placeOf(this.record), "not all parts");
    }
    return found;
  }

  requirePrizes() {
    if (!("parts" in (SHAPES[this.record.type] ?? {}))) return;
    const parts = this.parts();
    if (this.record.type !== "PrizesComputed") return;
    const { claim } = this.file;
    const refuse = (why) => {
      throw new Failure("prize_mismatch", placeOf(this.record), why);
    };
    const paidIn = { EntryPaid: "buy_in", ReEntered: "buy_in", RebuyBought: "amount", AddOnBought: "amount" };
    const collected = this.before().flatMap(({ type, data }) => {
      if (type === "EntryRefunded") return [-data.pool];
      return type in paidIn ? [data[paidIn[type]]] : [];
    });
    const totals = (name) => parts.map((one) => one.data[name]);
    const added = [...totals("overlay"), ...totals("heads_to_pool")];
    const pool = sum([...collected, ...added, ...totals("rake").map((one) => -one)]);
    const prizes = parts.flatMap((one) => one.data.prizes);
    if (sum(prizes.map((one) => one.amount)) !== pool) refuse(`not the pool of ${pool}`);
    if (!prizes.some((one) => one.player === claim.player && one.amount === claim.amount)) refuse("no such prize");
  }

  requirePeople() {
    const { type, data } = this.record;
    if (type === "AdjustmentApproved") this.requireProposal(data);
    if (type === "WithdrawalPaid" || type === "WithdrawalReturned") this.requireRequest(data);
    if (type === "DepositRecorded" || type === "WithdrawalPaid") this.requireTwo(data);
  }

  requireProposal(approved) {
    const place = placeOf(this.record);
    const [proposal, ...more] = this.before().filter(({ data }) => data.adjustment === approved.adjustment).slice(0, -1);
    if (proposal?.type !== "AdjustmentProposed" || more.length) {
      throw new Failure("bad_sequence", place, "proposed once, not rejected");
    }
    const terms = ({ approver, ...others }) => canonical(others);
    if (terms(proposal.data) !== terms(approved)) throw new Failure("bad_sequence", place, "not as proposed");
    if (approved.proposer === approved.approver) throw new Failure("same_person", place);
  }

  requireRequest({ withdrawal, amount, currency }) {
    const place = placeOf(this.record);
    const steps = this.before().filter(({ data }) => data.withdrawal === withdrawal).slice(0, -1);
    const [asked] = steps;
    if (asked?.type !== "WithdrawalRequested") throw new Failure("bad_sequence", place, "never asked for");
    if (asked.data.amount !== amount || asked.data.currency !== currency) {
      throw new Failure("bad_sequence", place, "another amount");
    }
    const done = steps.find(({ type }) => type === "WithdrawalReturned" || type === "WithdrawalPaid");
    if (done) throw new Failure("bad_sequence", placeOf(done), "over before");
  }

  requireTwo({ method, approved_by: people }) {
    if (method === "manual" && (people.length !== 2 || people[0] === people[1])) {
      throw new Failure("same_person", placeOf(this.record));
    }
  }
}

/** Whether an account is the player's own one that a claim of this kind is about. */
function isOwn(account, { kind, player, currency, source }) {
  const table = source.stream.split("/")[1];
  if (kind === "hand") return account === `seat:${table}:${player}:${currency}`;
  if (kind === "withdrawal_paid") return account === `withdrawal:${player}:${currency}`;
  const parts = account.split(":");
  const isAny = kind === "reversal" && parts.length >= 3 && parts.at(-2) === player && parts.at(-1) === currency;
  return isAny || account === `wallet:${player}:${currency}` || account === `receivable:${player}:${currency}`;
}

// --- the checks in their order (6.2) ----------------------------------------------------------------------

const NAMES = {
  V01: "a JSON object of a known format",
  V02: "exactly the known members",
  V03: "the checkpoint can be read",
  V04: "the checkpoint is signed by a trusted key",
  V05: "every record is canonical",
  V06: "records of one stream without a gap",
  V07: "every record is chained to the one before",
  V08: "time never runs back, no id twice",
  V09: "the records are in the signed log",
  V10: "the claim comes from a record",
  V11: "the entry is balanced and has the claim's line",
  V12: "the entry has the amounts of its event",
  V13: "the amounts of every hand are balanced",
  V14: "every deal is in order and its commitment was kept",
  V15: "every seed is the next of its chain",
  V16: "transcripts and decks follow from the seeds",
  V17: "every place is drawn once and in order",
  V18: "every named card is the card of its place",
  V19: "held cards and counts",
  V20: "aborted hands",
  V21: "the stack that was cashed out",
  V22: "the prizes are the pool",
  V23: "two people, and every step",
};
const ERRORS = {
  V01: "bad_file", V02: "bad_field", V03: "bad_note", V04: "bad_signature unknown_key", V05: "not_canonical",
  V06: "bad_record gap", V07: "broken_chain", V08: "time_runs_back duplicate_id",
  V09: "not_included checkpoint_mismatch short_export", V10: "source_mismatch",
  V11: "claim_mismatch entry_not_balanced", V12: "amount_mismatch", V13: "hand_not_balanced",
  V14: "deal_out_of_order commit_mismatch", V15: "bad_seed",
  V16: "deck_mismatch transcript_mismatch", V17: "wrong_place place_taken_twice", V18: "card_mismatch not_held",
  V19: "hand_mismatch count_mismatch", V20: "abort_mismatch", V21: "stack_mismatch", V22: "prize_mismatch",
  V23: "bad_sequence same_person",
};
const CODE_OF = new Map(
  Object.entries(ERRORS).flatMap(([code, errors]) => errors.split(" ").map((error) => [error, code])),
);
const NOT_CHECKED = "legality of moves";

/** Runs checks until one fails; nothing that goes wrong inside of a check lets it pass. */
async function report(steps, more = {}) {
  const checks = [];
  let ok = true;
  for (const [code, check, name = NAMES[code]] of steps) {
    try {
      await check();
      checks.push({ code, name, ok: true, error: null, place: null, detail: "" });
    } catch (fault) {
      const [usual] = (ERRORS[code] ?? "bad_file").split(" ");
      const named = fault instanceof Failure ? fault : new Failure(usual, "the file", String(fault));
      const { error, place, detail } = named;
      const own = code in NAMES ? code : (CODE_OF.get(error) ?? code);
      checks.push({ code: own, name, ok: false, error, place, detail });
      ok = false;
      break;
    }
  }
  return { ok, checks, claim: null, warnings: [], notChecked: NOT_CHECKED, ...more };
}

/** V13 to V20: what is done for every hand. */
const HAND_CHECKS = [
  ["V13", requireBalance],
  ["V14", requireDeal],
  ["V15", requireSeeds],
  ["V16", requireDecks],
  ...["V17", "V18", "V19"].map((code) => [code, (hand) => requireCourse(hand, code)]),
  ["V20", requireAbort],
];
const ERROR_OF_STRAYS = { V15: "bad_seed", V20: "abort_mismatch" };

/** The checks of all hands of tables that are known when the first of them runs. */
const handChecks = (tables) =>
  HAND_CHECKS.map(([code, check]) => [
    code,
    () =>
      tables().forEach((table) => {
        if (code === "V14" && table.disorder) throw table.disorder;
        table.hands.forEach(check);
        table.requireNoStray(ERROR_OF_STRAYS[code]);
      }),
  ]);

/** V05 to V08 of slices that are known when the first of them runs. */
const recordChecks = (slices) => [
  ["V05", () => slices().forEach((one) => one.readRecords())],
  ["V06", () => slices().forEach((one) => one.requireRecords())],
  [
    "V07",
    async () => {
      for (const one of slices()) await one.requireChain();
    },
  ],
  [
    "V08",
    () => {
      const ids = new Set();
      slices().forEach((one) => one.requireTimes(ids));
    },
  ],
];

const KEY_OF_FILE = "key taken from the file";

/** What to be warned of where hands were voided whose deals nobody can check any more. */
function seedWarnings(places) {
  if (!places.length) return [];
  const more = places.length > 1 ? " and others" : "";
  return [`${places.length} voided without a seed (${KEY_LOST}), so not checked by it: ${places[0]}${more}`];
}

const placesWithoutSeed = (hands) => hands.filter((one) => one.isWithoutSeed).map((one) => placeOf(one.voided));

const keyWarnings = (keys) => (keys?.length ? [] : [KEY_OF_FILE]);

/** Checks a receipt (text or bytes). `keys` are the verifier keys that the caller trusts; without any, those of the
 * file are used, and a warning says so. */
export async function verifyReceipt(source, { keys } = {}) {
  const it = new Receipt(source, keys?.length ? keys : null);
  const steps = [
    ["V01", () => it.read()],
    ["V02", () => it.requireMembers()],
    ["V03", () => it.readNote()],
    ["V04", () => it.requireSigned()],
    ...recordChecks(() => it.slices),
    ["V09", () => it.slices.forEach((one) => one.requireInclusion(it.note))],
    ["V10", () => it.requireSource()],
    ["V11", () => it.requirePostings()],
    ["V12", () => it.requireStated()],
    ...handChecks(() => it.tables ?? (it.readTables(), it.tables)),
    ["V21", () => it.requireStack()],
    ["V22", () => it.requirePrizes()],
    ["V23", () => it.requirePeople()],
  ];
  const found = await report(steps, { warnings: keyWarnings(keys) });
  const { kind, amount, currency, player } = it.file?.claim ?? {};
  const hands = found.ok ? it.tables.flatMap((table) => table.hands) : [];
  const warnings = [...found.warnings, ...seedWarnings(placesWithoutSeed(hands))];
  return { ...found, warnings, claim: found.ok ? { kind, amount, currency, player } : null };
}

/** Checks the answer of `GET /api/v1/hands/{id}/verify` (an object or its text). Its checkpoint is checked against
 * the caller's `keys`; `origin` is that of the log, if he knows it. */
export async function verifyHand(answer, { keys = [], origin } = {}) {
  let [it, slice, note, tables] = [null, null, null, null];
  const steps = [
    [
      "V01",
      () => {
        it = typeof answer === "string" ? parseFile(answer) : answer;
        if (!isObject(it)) throw new Failure("bad_file", "the answer");
      },
    ],
    [
      "V02",
      () => {
        const isOpened = Object.keys(OPENED).some((name) => name in it);
        for (const [name, shape] of Object.entries({ ...HAND, ...(isOpened ? OPENED : {}) })) {
          if (!(name in it)) throw new Failure("bad_field", name, "missing");
          requireMembers(it[name], shape, name);
        }
        const isPaired = Boolean(it.checkpoint) === Boolean(it.inclusion);
        if (!it.records.length || !isPaired) throw new Failure("bad_field", "records");
        if (it.inclusion) requireMembers(it.inclusion, INCLUSION, "inclusion");
        slice = new Slice({
          stream: `table/${it.table_id}`,
          from: it.first_version,
          to: it.last_version,
          records: it.records,
          inclusion: it.inclusion,
        });
      },
    ],
    ...recordChecks(() => [slice]),
    ...handChecks(() => (tables ??= [Table.of(slice, { claimed: it.hand_id, hasAnchors: false })])),
    [
      "answer",
      () => requireOwnWords(it, tables[0].hands.find((one) => one.id === it.hand_id)),
      "the answer says what the records say",
    ],
  ];
  const isSealed = isObject(answer) ? Boolean(answer.checkpoint) : /"checkpoint"\s*:\s*"/.test(answer);
  const sealed = [
    [
      "V03",
      () => {
        note = parseNote(it.checkpoint);
      },
    ],
    ["V04", () => requireSigned(note, origin ?? note.origin, keys.map(parseKey), "checkpoint")],
  ];
  if (isSealed) {
    steps.splice(2, 0, ...sealed.slice(0, keys.length ? 2 : 1));
    steps.splice(steps.findIndex(([code]) => code === "V13"), 0, ["V09", () => slice.requireInclusion(note)]);
  }
  const warnings = [
    ...(isSealed ? [] : ["no checkpoint covers the hand yet"]),
    ...(isSealed && !keys.length ? ["no key was given: the signature is not checked"] : []),
  ];
  const found = await report(steps, { warnings });
  const hands = found.ok ? tables[0].hands : [];
  const without = placesWithoutSeed(hands);
  return { ...found, warnings: [...warnings, ...seedWarnings(without)], isWithoutSeed: without.length > 0 };
}

const HAND = {
  hand_id: isUuid,
  table_id: isUuid,
  fairness: isString,
  deck_spec: isString,
  commit: isHash,
  seats: [(value) => isShaped(value, { seat, player_id: isUuid, seed: isString, state: isString })],
  beacon: isString,
  transcript: isHash,
  deck_root: isHash,
  reshuffles: [{ shuffle_no: isInteger(1), places: [isInteger(0)], root: isHash }],
  first_version: isInteger(1),
  last_version: isInteger(1),
  records: [isString],
};
/** What is left out of a hand whose seed is lost; whether it is, the records say. */
const OPENED = { server_seed: isHash, deck: isString };

/** Refuses an answer whose own fields are not those of its records. */
function requireOwnWords(it, hand) {
  const { data } = hand.dealt;
  const given = new Map(hand.seeds.map((record) => [record.data.seat, record.data.seed]));
  const seats = data.players.map((one) => `${one.seat} ${one.player} ${given.get(one.seat) ?? ""} ${one.seed}`);
  const reshuffles = hand.plays.filter((one) => one.type === "PileReshuffled").map((one) => one.data);
  const shuffles = (list) => JSON.stringify(list.map((one) => [one.shuffle_no, one.places, one.root]));
  const cards = hand.deck && DECKS[data.deck_spec].map((_, place) => CARDS[hand.deck.get(place)]);
  const facts = {
    fairness: data.fairness,
    deck_spec: data.deck_spec,
    commit: data.commit,
    transcript: data.transcript,
    deck_root: data.deck_root,
    beacon: data.beacon ?? "",
    server_seed: hand.serverSeed,
    deck: cards?.join(" ") ?? null,
  };
  const told = it.seats.map((one) => `${one.seat} ${one.player_id} ${one.seed} ${one.state}`);
  const differs = [
    ...Object.keys(facts).filter((name) => (it[name] ?? null) !== facts[name]),
    ...(same(told, seats) ? [] : ["seats"]),
    ...(shuffles(it.reshuffles) === shuffles(reshuffles) ? [] : ["reshuffles"]),
  ];
  if (differs.length) throw new Failure("bad_field", differs[0], "not what the records say");
}

// --- exports (6.4) ----------------------------------------------------------------------------------------

const EXPORT_FORMAT = "tonk/export/1";

/** Lines of a text, or of its pieces as they come. */
async function* linesOf(source) {
  let rest = "";
  for await (const piece of typeof source === "string" ? [source] : source) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    yield* lines;
  }
  if (rest) yield rest;
}

/** Value of a line, which must be an object. Throws Failure. */
function readLine(text, place) {
  try {
    const value = parseFile(text);
    if (isObject(value)) return value;
  } catch (fault) {
    throw new Failure("bad_file", place, fault.message);
  }
  throw new Failure("bad_file", place, "no object");
}

const HEADER = { format: isString, kind: isString, origin: isString, keys: [isKey], checkpoint: isString };

function requireHeader(header) {
  const place = "line 1";
  if (header.format !== EXPORT_FORMAT) throw new Failure("bad_file", place, "unknown format");
  const { frontier = [], ...plain } = header;
  const kinds = { stream: { stream: isMatch(STREAM) }, log: { from: isInteger(0), size: isInteger(0) } };
  const shape = has(kinds, header.kind) ? kinds[header.kind] : null;
  if (!shape) throw new Failure("bad_file", place, "unknown kind");
  requireMembers(plain, { ...HEADER, ...shape }, "");
  if (header.kind !== "log" && "frontier" in header) throw new Failure("bad_field", "frontier");
  if (header.kind === "log") requireMembers(frontier, [isHash], "frontier");
}

/** Checks an export of a stream or of the log: a text, or anything that gives its pieces one after the other. It is
 * read once; memory holds the tree's edge, the head of each stream and its open hand. */
export async function verifyExport(source, { keys } = {}) {
  const lines = linesOf(source)[Symbol.asyncIterator]();
  let [header, reader] = [null, null];
  const steps = [
    [
      "V01",
      async () => {
        const first = await lines.next();
        if (first.done) throw new Failure("bad_file", "line 1", "empty");
        header = readLine(first.value, "line 1");
      },
    ],
    [
      "V02",
      () => {
        requireHeader(header);
        const trusted = (keys?.length ? keys : header.keys).map(parseKey);
        reader = header.kind === "log" ? new LogReader(header, trusted) : new StreamReader(header, trusted);
      },
    ],
    ["V03", () => reader.readNote()],
    ["V04", () => requireSigned(reader.note, header.origin, reader.trusted, "checkpoint")],
    ["records", () => reader.readAll(lines), "every record"],
  ];
  const found = await report(steps);
  const warnings = [...keyWarnings(keys), ...(found.ok ? reader.warnings() : [])];
  return { ...found, warnings, summary: found.ok ? reader.summary() : null };
}

/** What one stream's records are checked against: the one before, and the open hand of a table. */
class Head {
  constructor(stream, isWhole) {
    this.v = 0;
    this.hash = NO_HASH;
    this.at = "";
    this.isTable = stream.startsWith("table/");
    this.table = this.isTable ? new Table(isWhole) : null;
  }

  /** Goes on behind records that are not shown. */
  skipTo(v) {
    [this.v, this.hash] = [v - 1, null];
    if (this.isTable) this.table = new Table(false);
  }

  /** Takes the next record; the hands that are over with it. */
  follow(record, place) {
    const { v, prev, at, hash: found } = record;
    if (v !== this.v + 1) throw new Failure("gap", place, `version ${this.v + 1} is missing`);
    if (prev !== (this.hash ?? prev)) throw new Failure("broken_chain", place);
    if (at < this.at) throw new Failure("time_runs_back", place);
    [this.v, this.hash, this.at] = [v, found, at];
    return this.table ? this.play(record) : [];
  }

  /** Judges each hand as soon as it is over, and forgets it. */
  play(record) {
    const { table } = this;
    table.push(record);
    if (table.disorder) throw table.disorder;
    if (table.strays.length) throw table.strays[0];
    const over = table.hands.filter((one) => one.isOver);
    for (const hand of over) HAND_CHECKS.forEach(([, check]) => check(hand));
    table.hands = table.hands.filter((one) => !one.isOver);
    return over;
  }
}

class ExportReader {
  constructor(header, trusted) {
    this.header = header;
    this.trusted = trusted;
    this.records = 0;
    this.last = null;
    this.withoutSeed = []; // where hands were given up whose key was lost
  }

  /** What is to be said of an export that holds. */
  warnings() {
    return seedWarnings(this.withoutSeed);
  }

  readNote() {
    this.note = parseNote(this.header.checkpoint);
  }

  async readAll(lines) {
    let number = 1;
    for await (const line of lines) {
      number += 1;
      const place = `line ${number}`;
      if (this.last) throw new Failure("bad_field", place, "after the last line");
      const value = readLine(line, place);
      if ("count" in value) this.last = value;
      else await this.take(value, place);
    }
    if (!this.last) throw new Failure("short_export", `line ${number + 1}`, "no last line");
    this.finish(`line ${number}`);
  }

  /** The record of a line, against what is known of its stream. */
  readRecord(text, index, headOf) {
    const record = readCanonical(text, `record ${index}`);
    const isNamed = isMatch(STREAM)(record.stream) && isInteger(1)(record.v);
    const place = `record ${index}${isNamed ? `, ${placeOf(record)}` : ""}`;
    try {
      requireRecord(record, place);
      record.hash = leafHash(text);
      const over = headOf(record, place).follow(record, place);
      if (over.some((one) => one.isWithoutSeed)) this.withoutSeed.push(place);
    } catch (fault) {
      // What a hand's checks name is a record of the stream; here it also has an index.
      if (!(fault instanceof Failure) || fault.place !== placeOf(record)) throw fault;
      throw new Failure(fault.error, place, fault.detail);
    }
    this.records += 1;
    return record;
  }
}

class StreamReader extends ExportReader {
  constructor(header, trusted) {
    super(header, trusted);
    this.head = new Head(header.stream, true);
    this.ids = new Set();
    this.index = -1;
  }

  take(value, place) {
    requireMembers(value, { i: isInteger(0), r: isString }, place);
    if (value.i <= this.index) throw new Failure("bad_field", `${place}.i`, "not rising");
    this.index = value.i;
    this.readRecord(value.r, value.i, (record, where) => {
      if (record.stream !== this.header.stream) throw new Failure("bad_record", where, "of another stream");
      if (this.ids.has(record.id)) throw new Failure("duplicate_id", where);
      this.ids.add(record.id);
      return this.head;
    });
  }

  finish(place) {
    requireMembers(this.last, { inclusion: INCLUSION, count: isInteger(0) }, place);
    const { inclusion, count: stated } = this.last;
    if (stated !== this.records || !this.records) throw new Failure("short_export", place, "not so many records");
    const { index, size } = inclusion;
    const proved = { ...inclusion, leaf: this.head.hash, root: this.note.root };
    if (index !== this.index || size !== this.note.size || !isIncluded(proved)) {
      throw new Failure("not_included", placeAt(this.header.stream, this.head.v));
    }
  }

  summary() {
    return { kind: "stream", stream: this.header.stream, records: this.records };
  }
}

class LogReader extends ExportReader {
  constructor(header, trusted) {
    super(header, trusted);
    const { from, size, frontier = [] } = header;
    if (from === 0 && "frontier" in header) throw new Failure("bad_field", "frontier", "nothing is before");
    const complete = from.toString(2).replaceAll("0", "").length;
    if (frontier.length !== complete) throw new Failure("bad_field", "frontier", "not the compact range");
    if (from > size) throw new Failure("bad_field", "size", "before from");
    this.tree = new Frontier(from, frontier.map(bytesOf));
    this.heads = new Map();
    this.hidden = 0; // records so far that are not shown
    this.foreign = 0; // older notes that no trusted key has signed
    this.newest = null;
  }

  async take(value, place) {
    if ("c" in value) return this.takeNote(value, place);
    requireMembers(value, "r" in value ? { i: isInteger(0), r: isString } : { i: isInteger(0), h: isHash }, place);
    const index = this.tree.size;
    if (value.i !== index) throw new Failure("bad_field", place, `record ${value.i} instead of ${index}`);
    if ("h" in value) {
      this.hidden += 1;
      this.records += 1;
      return this.tree.push(bytesOf(value.h));
    }
    const { hash: leaf } = this.readRecord(value.r, index, (record, where) => this.headOf(record, where));
    return this.tree.push(bytesOf(leaf));
  }

  /** The head that a record follows. Between two records of a stream as many may be missing as were hidden. */
  headOf({ stream, v }, place) {
    const isWhole = this.header.from === 0;
    const known = this.heads.get(stream);
    const head = known ?? Object.assign(new Head(stream, v === 1), { hidden: isWhole ? 0 : -Infinity });
    const missing = v - head.v - 1;
    if (missing > this.hidden - head.hidden) throw new Failure("gap", place, `version ${head.v + 1} is missing`);
    if (missing > 0) head.skipTo(v);
    head.hidden = this.hidden;
    this.heads.set(stream, head);
    return head;
  }

  async takeNote(value, place) {
    requireMembers(value, { c: isString }, place);
    const note = parseNote(value.c, place);
    this.requireRoot(note, place);
    try {
      await requireSigned(note, this.header.origin, this.trusted, place);
    } catch (fault) {
      // By an older key its root alone counts: the last note signs all that is before.
      const isOlder = fault.error === "unknown_key" && note.size < this.header.size;
      if (!isOlder || note.origin !== this.header.origin) throw fault;
      this.foreign += 1;
    }
    this.newest = note;
  }

  warnings() {
    const said = `${this.foreign} older notes are signed by other keys; their roots are right`;
    return [...(this.foreign ? [said] : []), ...super.warnings()];
  }

  requireRoot(note, place) {
    if (note.size !== this.tree.size || note.root !== toHex(this.tree.root())) {
      throw new Failure("checkpoint_mismatch", place, `size ${note.size}`);
    }
  }

  finish(place) {
    requireMembers(this.last, { count: isInteger(0) }, place);
    const { size } = this.header;
    if (this.last.count !== this.records) throw new Failure("short_export", place, "not so many records");
    if (this.tree.size !== size || this.newest?.size !== size) {
      throw new Failure("short_export", `record ${this.tree.size}`, `not up to the checkpoint of ${size}`);
    }
    if (this.note.size === size) this.requireRoot(this.note, "checkpoint");
    else throw new Failure("short_export", "checkpoint", `its size is ${this.note.size}`);
  }

  summary() {
    return { kind: "log", from: this.header.from, size: this.header.size, streams: this.heads.size };
  }
}
