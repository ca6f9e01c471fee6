// The token stands behind the # of a personal link, which no browser sends to anybody: it goes to the
// server once, in the body of a request, and from then on in a cookie that no script can read.
const told = document.getElementById("told");
const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

if (!token) {
  told.textContent = "Open the personal link that you were sent.";
} else {
  try {
    const answer = await fetch("api/enter", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }),
    });
    const said = await answer.json();
    if (answer.ok) location.replace(said.to);
    else told.textContent = said.error;
  } catch {
    told.textContent = "The server cannot be reached. Open your personal link again later.";
  }
}
