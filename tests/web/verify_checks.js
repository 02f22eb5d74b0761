// Runs the cases of `tests/web/test_verify_module.py` in the browser. Each function gives what differs, and how many
// cases it looked at.

import * as verify from "/static/web/verify.js";

class Findings {
  constructor() {
    this.done = {};
    this.differences = [];
  }

  equal(kind, name, got, expected) {
    this.done[kind] = (this.done[kind] ?? 0) + 1;
    const [left, right] = [JSON.stringify(got), JSON.stringify(expected)];
    if (left !== right) this.differences.push(`${kind} ${name}: ${left}, not ${right}`);
  }
}

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const sha256 = async (bytes) => hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

/** Every member of `cases/fair/vectors.json`. */
export async function fair(file) {
  const found = new Findings();
  found.equal("card_codes", "all", verify.CARDS, file.card_codes);
  found.equal("deck_specs", "all", verify.DECKS, file.deck_specs);
  for (const vector of file.vectors) await deal(vector, found);
  for (const one of file.fisher_yates) {
    let used = 0;
    const counted = (function* () {
      for (const word of one.words) {
        used += 1;
        yield word;
      }
    })();
    found.equal("fisher_yates", one.words, verify.fisherYates(one.input, counted), one.order);
    found.equal("words_used", one.words, used, one.words_used);
    found.equal("words_rejected", one.words, used - (one.input.length - 1), one.words_rejected);
  }
  for (const one of file.links) found.equal("links", one.seed, verify.isNextLink(one.seed, one.last_link), one.ok);
  return found;
}

async function deal(vector, found) {
  const { name, hand, server_seed: serverSeed, commit, key } = vector;
  found.equal("commit", name, verify.commit(hand, serverSeed), commit);
  found.equal("commit_preimage", name, await sha256(bytesOf(vector.commit_preimage)), commit);
  const facts = { hand, commit, deckSpec: vector.deck_spec, beacon: vector.beacon, seats: vector.seats };
  found.equal("preimage", name, hexOf(verify.transcriptPreimage(facts)), vector.transcript_preimage);
  found.equal("transcript", name, verify.transcript(facts), vector.transcript);
  found.equal("key", name, verify.handKey(serverSeed, vector.transcript), key);
  for (const seat of vector.seats.filter((one) => one.root)) {
    const links = verify.chain(seat.root, seat.length);
    found.equal("anchor", name, links[0], seat.anchor);
    found.equal("last_link", name, links[seat.index - 1], seat.last_link);
    if (seat.seed) found.equal("seed", name, verify.isNextLink(seat.seed, seat.last_link), true);
    if (seat.seed) found.equal("seed is a link", name, links[seat.index], seat.seed);
  }
  const sealed = new Map();
  for (const one of vector.shuffles) {
    const number = one.shuffle_no;
    const made = verify.sealedDeck(hand, key, number, one.input);
    sealed.set(number, made);
    const words = ["stream_block_0", "stream_block_1"].map((_, block) => verify.streamBlock(key, number, block));
    found.equal("stream", name, words, [one.stream_block_0, one.stream_block_1]);
    found.equal("order", name, verify.shuffle(key, number, one.input), one.order);
    found.equal("cards", name, made.order.map((code) => verify.CARDS[code]), one.cards);
    found.equal("codes", name, one.cards.map(verify.codeOf), one.order);
    found.equal("salts", name, made.salts, one.salts);
    found.equal("leaves", name, made.leaves, one.leaves);
    found.equal("root", name, made.root, one.root);
    found.equal("words", name, wordsUsed(key, one), [one.words_used, one.words_rejected]);
  }
  found.equal("deck_root", name, sealed.get(0).root, vector.deck_root);
  for (const { ok, ...opening } of vector.openings) {
    const known = { hand, root: sealed.get(opening.shuffle_no).root, size: opening.size };
    found.equal("openings", `${name} ${opening.place}`, verify.opens(opening, known), ok);
    const own = { hand, shuffleNo: opening.shuffle_no, position: opening.position };
    const again = verify.openCard(sealed.get(opening.shuffle_no), own);
    found.equal("openings made", name, JSON.stringify(again) === JSON.stringify({ hand, ...opening }), ok);
    if (!ok) continue;
    for (const [member, value] of Object.entries(damages(opening))) {
      found.equal("openings damaged", `${name} ${member}`, verify.opens({ ...opening, ...value }, known), false);
    }
    const foreign = { ...known, hand: "ff".repeat(16) };
    found.equal("openings damaged", `${name} hand`, verify.opens(opening, foreign), false);
  }
}

/** Words that a shuffle took from its stream, and how many of them were passed over. */
function wordsUsed(key, { shuffle_no: number, input, order }) {
  let used = 0;
  const words = (function* () {
    for (let block = 0; ; block += 1) {
      for (const word of verify.streamBlock(key, number, block).match(/.{8}/g)) {
        used += 1;
        yield Number.parseInt(word, 16);
      }
    }
  })();
  const again = verify.fisherYates(input, words);
  return JSON.stringify(again) === JSON.stringify(order) ? [used, used - (input.length - 1)] : null;
}

function damages(opening) {
  const flipped = (hex) => (hex[0] === "0" ? "1" : "0") + hex.slice(1);
  return {
    card: { card: opening.card === "AC" ? "2C" : "AC" },
    code: { code: (opening.code + 1) % 52 },
    both: { code: (opening.code + 1) % 52, card: verify.CARDS[(opening.code + 1) % 52] },
    salt: { salt: flipped(opening.salt) },
    root: { root: flipped(opening.root) },
    size: { size: opening.size - 1 },
    position: { position: opening.position + 1, place: opening.place + 1 },
    place: { place: opening.place + 1 },
    path: { path: opening.path.slice(1) },
    longer: { path: [...opening.path, opening.root] },
    step: { path: [flipped(opening.path[0]), ...opening.path.slice(1)] },
    numbers: { path: [...opening.path.slice(1), 7] },
  };
}

/** Every member of `cases/log/vectors.json`. */
export async function log(file, extra) {
  const found = new Findings();
  for (const one of file.canonical) {
    found.equal("canonical", one.name, verify.canonical(one.value), one.canonical);
    found.equal("canonical read", one.name, verify.canonical(verify.parseStrict(one.canonical)), one.canonical);
    found.equal("canonical leaf", one.name, verify.leafHash(one.canonical), one.sha256_leaf);
  }
  for (const text of [...file.refused.map((one) => one.json), ...extra]) {
    let isTaken = true;
    try {
      verify.canonical(verify.parseStrict(text));
    } catch {
      isTaken = false;
    }
    found.equal("refused", text, isTaken, false);
  }
  for (const one of file.records) {
    found.equal("records", one.log_index, verify.leafHash(one.record), one.hash);
    found.equal("records", one.log_index, verify.canonical(verify.parseStrict(one.record)), one.record);
  }
  const leaves = file.records.map((one) => one.hash);
  for (const [size, root] of Object.entries(file.roots)) {
    found.equal("roots", size, verify.treeRoot(leaves.slice(0, Number(size))), root);
  }
  for (const one of file.inclusion) {
    const name = `${one.index} ${one.size}`;
    found.equal("inclusion", name, verify.isIncluded(one), true);
    found.equal("inclusion path", name, verify.inclusionPath(leaves.slice(0, one.size), one.index), one.path);
    found.equal("inclusion damaged", name, verify.isIncluded({ ...one, index: one.index + 1 }), false);
    found.equal("inclusion damaged", name, verify.isIncluded({ ...one, path: [...one.path, one.root] }), false);
  }
  for (const { from, to, path, root_from: rootFrom, root_to: rootTo } of file.consistency) {
    const proof = { from, to, path, rootFrom, rootTo };
    found.equal("consistency", `${from} ${to}`, verify.isConsistent(proof), true);
    if (from === to) continue;
    found.equal("consistency damaged", `${from} ${to}`, verify.isConsistent({ ...proof, rootFrom: rootTo }), false);
    found.equal("consistency damaged", `${from} ${to}`, verify.isConsistent({ ...proof, path: path.slice(1) }), false);
  }
  await tiles(file.tiles, found);
  await notes(file.checkpoint, found);
  return found;
}

async function tiles({ size, root, tiles: stored, inclusion }, found) {
  const name = (index) => new TextEncoder().encode(`\u0000leaf ${index}`);
  const leaves = await Promise.all(Array.from({ length: size }, (_, index) => sha256(name(index))));
  found.equal("tiles root", size, verify.treeRoot(leaves), root);
  for (const one of stored) {
    const [, level, n, width = "256"] = /^tile\/(\d)\/(\d{3})(?:\.p\/(\d+))?$/.exec(one.path);
    const span = 256 ** Number(level);
    const hashes = Array.from({ length: Number(width) }, (_, i) => {
      const first = (256 * Number(n) + i) * span;
      return verify.treeRoot(leaves.slice(first, first + span));
    });
    const bytes = bytesOf(hashes.join(""));
    found.equal("tiles", one.path, [bytes.length, await sha256(bytes)], [one.bytes, one.sha256]);
  }
  for (const one of inclusion) found.equal("tiles inclusion", one.index, verify.isIncluded({ root, ...one }), true);
}

async function notes(given, found) {
  const { origin, size, root, vkey, note, text, signature, witness } = given;
  const read = verify.parseNote(note);
  found.equal("note", "read", [read.origin, read.size, read.root, read.text], [origin, size, root, text]);
  const [line] = read.signatures;
  found.equal("note", "line", [line.id, hexOf(line.signature)], [given.key_id, signature]);
  const key = verify.parseKey(vkey);
  found.equal("note", "key", [key.name, key.id, hexOf(key.publicKey)], [origin, given.key_id, given.public_key]);
  const signed = await verify.checkNote(given.note_with_witness, { origin, keys: [vkey] });
  found.equal("note", "witnessed", [signed.root, signed.signatures.length], [root, 2]);
  const message = new TextEncoder().encode(text);
  for (const slowly of [true, false]) {
    const isSigned = (changed) => {
      const facts = { key: key.publicKey, message, signature: bytesOf(signature), ...changed };
      if (slowly) return verify.ed25519Slowly(facts.key, facts.message, facts.signature);
      return natively(facts);
    };
    found.equal("signature", `slowly ${slowly}`, await isSigned({}), true);
    found.equal("signature", "message", await isSigned({ message: message.slice(1) }), false);
    for (const at of [0, 31, 32, 63]) {
      const damaged = bytesOf(signature).map((byte, i) => (i === at ? byte ^ 1 : byte));
      found.equal("signature", `byte ${at}`, await isSigned({ signature: damaged }), false);
    }
  }
  const cosigned = bytesOf(witness.signature);
  const witnessed = new TextEncoder().encode(witness.signed_message);
  found.equal("witness", "signature", verify.ed25519Slowly(bytesOf(witness.public_key), witnessed, cosigned), true);
  found.equal("witness", "line", given.note_with_witness.trimEnd().endsWith(witness.line.trimEnd()), true);
  const bad = {
    bad_note: [
      text,
      note.slice(0, -1),
      note.replace("8\n", "08\n"),
      note.replace("\n\n", "\nmore\n\n"),
      `${note}x\n`,
    ],
    bad_signature: [note.replace("\n8\n", "\n9\n")],
    unknown_key: [note.replaceAll("log/7", "log/8")],
  };
  for (const [error, damaged] of Object.entries(bad)) {
    for (const one of damaged) {
      const failed = await verify.checkNote(one, { keys: [vkey] }).catch((fault) => fault.error);
      found.equal("note damaged", one, failed, error);
    }
  }
}

async function natively({ key, message, signature }) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, imported, signature, message);
}

const verdict = ({ ok, checks, claim, warnings }) => {
  const { code, error, place, detail } = checks.at(-1);
  return { ok, code, error, place, detail, codes: checks.map((one) => one.code), claim, warnings };
};

const decoded = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Verdicts on receipts, given as base64. */
export async function receipts(files, keys) {
  const found = [];
  for (const file of files) found.push(verdict(await verify.verifyReceipt(decoded(file), { keys })));
  return found;
}

/** Verdicts on exports, given as base64, read in pieces of uneven length. */
export async function exported(files, keys) {
  const found = [];
  for (const file of files) {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(decoded(file));
    const pieces = text.match(/[^]{1,997}/g) ?? [""];
    found.push(verdict(await verify.verifyExport(pieces, { keys })));
  }
  return found;
}

/** The receipt again and again, each time with one byte changed; gives the changes that nobody found. */
export async function mutations(file, keys, changes) {
  const missed = [];
  const whole = decoded(file);
  for (const [at, value] of changes) {
    const damaged = whole.slice();
    damaged[at] ^= value;
    const { ok } = await verify.verifyReceipt(damaged, { keys });
    if (ok) missed.push([at, value]);
  }
  return missed;
}

/** Verdicts on answers of `/hands/{id}/verify`. */
export async function hands(answers, keys) {
  const found = [];
  for (const answer of answers) found.push(verdict(await verify.verifyHand(answer, { keys })));
  return found;
}
