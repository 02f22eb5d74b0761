// Keeps the list of what is on up to date: the page is fetched again now and then, and shown where it
// differs. Whoever stands on a link with the keyboard stays there.

const EVERY_MS = 3000;

const main = document.getElementById("main");

async function fetched() {
  const answer = await fetch(location.href);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.getElementById("main").innerHTML;
}

async function refresh() {
  if (document.hidden) return;
  try {
    const fresh = await fetched();
    if (fresh === main.innerHTML) return;
    const at = main.contains(document.activeElement) && document.activeElement.getAttribute("href");
    main.innerHTML = fresh;
    if (at) main.querySelector(`a[href="${at}"]`)?.focus();
  } catch {
    // The server is away: the next try tells.
  }
}

setInterval(refresh, EVERY_MS);
