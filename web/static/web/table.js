// Keeps the board of a table up to date. The server draws it; here it is only fetched again, event by
// event at a pace that people can follow: bots play faster than anybody can look. Once everything is
// shown, a long poll waits for more, so nothing is asked for in vain.

const WAIT_SECONDS = 25;
const PACE_MS = 700;
const RETRY_MS = 2000;

const frame = document.getElementById("board");
const news = document.getElementById("news");

const shown = () => frame.firstElementChild.dataset;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function isNewer() {
  if (shown().version !== shown().newest) return true;
  const query = new URLSearchParams({ wait: WAIT_SECONDS, after: shown().version });
  const answer = await fetch(`${frame.dataset.state}?${query}`);
  if (!answer.ok && answer.status !== 304) throw new Error(`status ${answer.status}`);
  return answer.status === 200;
}

async function draw() {
  const query = new URLSearchParams({ after: shown().version });
  const answer = await fetch(`${frame.dataset.board}?${query}`);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const before = frame.querySelector(".why");
  const at = before?.contains(document.activeElement) ? document.activeElement : null;
  frame.innerHTML = (await answer.text()).trim();
  keepWhy(before, at);
  if (news.textContent !== shown().news) news.textContent = shown().news;
  frame.dispatchEvent(new Event("drawn")); // for whoever checks the deal
}

// Whoever reads why a hand ended so goes on reading where he is while the next one is played, and finds
// the reasons of the next one open as well.
function keepWhy(before, at) {
  const after = frame.querySelector(".why");
  if (!before || !after) return;
  const isSame = before.innerHTML === after.innerHTML;
  if (isSame) after.replaceWith(before);
  else after.open = before.open;
  if (at) (isSame ? at : after.querySelector("summary")).focus({ preventScroll: true });
}

async function watch() {
  while (!("closed" in shown())) {
    try {
      if (await isNewer()) await draw();
      await pause(PACE_MS);
    } catch {
      await pause(RETRY_MS);
    }
  }
}

watch();
