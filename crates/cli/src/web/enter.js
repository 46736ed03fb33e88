// Exchanges the code of the link for the cookie of this browser and the secret of this window, then opens the interface.
// The secret is in no address and no document: only a script of this origin reads it, in the answer and in its storage.
(async () => {
  const KEY = "hookwright.window"; // `transport.ts` of the interface reads it
  try {
    // Where nothing can be stored, this throws and the code stays unused.
    sessionStorage.setItem(KEY, "");
    const code = new URLSearchParams(location.search).get("code");
    const answer = await fetch("/enter", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    if (answer.status === 401) {
      location.reload(); // The code was used meanwhile, and the server says so.
      return;
    }
    sessionStorage.setItem(KEY, (await answer.json()).window);
    location.replace("/");
  } catch {
    document.getElementById("failed").hidden = false;
  }
})();
