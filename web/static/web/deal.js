// Holds every deal that the page shows against what was sealed before it: each card that becomes public
// is opened against the root of its deck, and after the reveal everything is computed again from the
// seeds. What does not hold is said loudly, and once: nothing of this table is believed after that.

import { leafHash, opens, verifyHand } from "./verify.js";

const PLACES_PER_SHUFFLE = 64;
const RETRY_MS = 2000;
const KEY_LOST = "dealer_key_lost";

const frame = document.getElementById("board");
const line = document.getElementById("deal");

class Unfair extends Error {}

const shown = () => Number(frame.firstElementChild.dataset.version);

let version = shown(); // up to where the events were held against each other
let hand = null; // the running hand, if its deal was seen
let log = null; // origin and keys of the log
let isUnfair = false;
let turn = Promise.resolve();

async function fetched(path) {
  const answer = await fetch(`/api/v1${path}`);
  if (!answer.ok) throw Object.assign(new Error(`status ${answer.status}`), { status: answer.status });
  return answer.json();
}

async function catchUp() {
  while (!isUnfair && version < shown()) {
    const page = await fetched(`/tables/${line.dataset.table}/events?after=${version}`);
    if (!page.events.length) return;
    for (const event of page.events) {
      if (event.version > shown()) return;
      if (event.version !== version + 1) throw new Unfair(`version ${event.version} came for ${version + 1}`);
      await see(event);
      version = event.version;
    }
  }
}

async function see(event) {
  const { type, data } = event;
  if (type === "ShuffleCommitted") hand = { ...data, events: [], roots: [], cards: new Map() };
  if (!hand) return; // one that ran already when the page was opened
  if (hand.events.at(-1)?.version !== event.version) hand.events.push(event); // it may be seen again
  if (type === "HandDealt") {
    if (data.commit !== hand.commit) throw new Unfair("the commitment was changed");
    hand.roots[0] = data.deck_root;
  }
  if (type === "PileReshuffled") hand.roots[data.shuffle_no] = data.root;
  for (const [card, place] of named(data)) await open(card, place);
  if (type === "HandRevealed") await verify();
  if (type === "HandVoided" && data.server_seed === null) {
    if (data.reason !== KEY_LOST) throw new Unfair("the hand is over, and the server keeps its seed");
    tell(line.dataset.lost.replace("{number}", hand.hand_no));
  }
  if (type === "HandVoided" || type === "ShuffleAborted") hand = null;
}

// Cards that an event makes public, each with its place; those of `held` are open at the end, with the deck.
function named({ card, place, cards, places, upcard, shed }) {
  const found = cards && places ? cards.map((one, index) => [one, places[index]]) : [];
  for (const one of [{ card, place }, upcard, shed]) {
    if (one?.card && Number.isInteger(one.place)) found.push([one.card, one.place]);
  }
  return found;
}

async function open(card, place) {
  const before = hand.cards.get(place);
  if (before === card) return;
  if (before) throw new Unfair(`place ${place} was ${before}, and is ${card}`);
  const opening = await openingOf(place);
  if (!opening) return;
  const root = hand.roots[Math.floor(place / PLACES_PER_SHUFFLE)];
  const fits = opening.place === place && opening.card === card && root !== undefined;
  if (!fits || !opens(opening, { hand: hand.hand, root })) {
    throw new Unfair(`${card} is not at place ${place} of the sealed deck`);
  }
  hand.cards.set(place, card);
}

// The opening of a place; null where the hand was given up without a seed: nobody has it any more. That it really was
// is seen at its end, which shows the seed or says why it does not.
async function openingOf(place) {
  const path = `/hands/${hand.hand}`;
  try {
    return await fetched(`${path}/cards/${place}`);
  } catch (fault) {
    if (fault.status !== 404 || "server_seed" in (await fetched(`${path}/verify`))) throw fault;
    return null;
  }
}

async function verify() {
  log ??= await fetched("/log/key");
  const answer = await fetched(`/hands/${hand.hand}/verify`);
  const keys = log.keys.map((one) => one.key);
  const report = await verifyHand(answer, { keys, origin: log.origin });
  const last = report.checks.at(-1);
  if (!report.ok) throw new Unfair(`${last.code} ${last.error} ${last.place}`);
  const seen = hand.events.map((one) => one.hash).join();
  if (answer.records.map(leafHash).join() !== seen) throw new Unfair("the records are not what was shown");
  tell(line.dataset.holds.replace("{number}", hand.hand_no));
  hand = null;
}

function tell(text) {
  line.hidden = false;
  line.textContent = text;
}

function fault(error) {
  if (!(error instanceof Unfair)) {
    setTimeout(go, RETRY_MS); // the server is away, or its index of hands is behind
    return;
  }
  isUnfair = true;
  line.setAttribute("role", "alert");
  line.classList.add("unfair");
  tell(line.dataset.fails.replace("{what}", error.message));
}

function go() {
  turn = turn.then(catchUp).catch(fault);
}

frame.addEventListener("drawn", go);
