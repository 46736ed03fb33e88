import { createRoot } from "react-dom/client";
import "@/theme/index.css";
import "@/components/styles/index.css";
import { asLanguage, asTheme } from "@/domain/appearance";
import { useView } from "@/lib/view";
import { applyTheme } from "@/theme/theme";
import { App } from "./app";
import { pickLanguage, showLanguage } from "./i18n";
import { createQueryClient, prefetch } from "./ipc";
import { createAppRouter } from "./routes";

// The address has its parameters in the hash; whatever stands before it would be read as part of them.
if (window.location.search !== "") {
  window.history.replaceState(null, "", `${window.location.pathname}${window.location.hash}`);
}

// `appearance.js` chose them before anything was drawn.
const { themeChoice, languageChoice } = document.documentElement.dataset;
const theme = asTheme(themeChoice);
const language = asLanguage(languageChoice);
useView.setState({ theme, language });
applyTheme(theme);
// Texts, screen and state are on their way at the same time.
const client = createQueryClient();
prefetch(client, "state", {});
const router = createAppRouter();
void router.load();
const texts = showLanguage(pickLanguage(language));

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root element");
const page = createRoot(root);
void texts.then(() => page.render(<App client={client} router={router} />));
