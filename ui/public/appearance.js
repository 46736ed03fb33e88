// Runs before the first paint, which must not be in another theme or language than what follows.
// Chosen is what the page's host says (the tag that `hookwright serve --web` writes, the word that the window leaves),
// else what this page kept from its last time, else what the system has.
(() => {
  const page = document.documentElement;
  const told = window.hookwrightLook ?? { theme: page.dataset.themeChoice, language: page.dataset.languageChoice };
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem("hookwright.view")).state;
  } catch {
    // Nothing was kept, or nothing may be.
  }
  const theme = told.theme ?? kept.theme ?? "system";
  page.dataset.themeChoice = theme;
  page.dataset.languageChoice = told.language ?? kept.language ?? "system";
  const light = theme === "system" ? matchMedia("(prefers-color-scheme: light)").matches : theme === "light";
  page.dataset.theme = light ? "light" : "dark";
})();
