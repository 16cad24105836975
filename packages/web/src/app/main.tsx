import type { ChatMessage } from "@parley/protocol/models";
import { createRoot } from "react-dom/client";
import { loadErrorTexts } from "../i18n/error-texts.ts";
import { loadTranslation } from "../i18n/translations.ts";
import { loadMarkdown } from "../markdown/message-text.tsx";
import { firstView } from "../session/first-view.ts";
import { loadLater } from "../session/lazy.tsx";
import { Parley } from "../session/parley.ts";
import { oneUseLink } from "../state/one-use-link.ts";
import { setupCodeIn } from "../state/setup-link.ts";
import { prepareCovers } from "../ui/covers/use-cover.ts";
import { Page } from "./page.tsx";

const root = document.getElementById("app");
// Loads while the first messages do. If it fails, the first message tries again and reports it.
loadMarkdown().catch(() => {});
if (root === null) throw new Error("The page has no #app.");
// It is in the same chunk as the parser.
const plainText = async (message: ChatMessage) => (await import("../markdown/plain-text.ts")).plainText(message);
const reactRoot = createRoot(root, {
  // Errors that an error boundary has caught.
  onCaughtError: (error, { componentStack }) => console.error(error, componentStack),
});
const link = oneUseLink(location);
const setupCode = setupCodeIn(location);
// The token must not stay in the address, which people copy and browsers remember. Nor must a code.
if (link !== null || setupCode !== null) history.replaceState(null, "", "/");
const parley = new Parley(location.origin, plainText);
if (link !== null) parley.openDialog.set(link);
if (setupCode !== null) parley.openDialog.set({ window: "setup", code: setupCode });
// What is not part of the first view loads after that has been drawn.
void firstView(parley).then(() => {
  loadLater();
  prepareCovers();
  void loadErrorTexts(parley.preferences.language.get());
});
const language = parley.preferences.language.get();
// A login that failed is the first that the page tells.
const loadFirst = parley.entrance.failure.get() === null ? undefined : loadErrorTexts(language);
// Without its texts the page is in English.
Promise.all([loadTranslation(language), loadFirst])
  .catch((error: unknown) => console.error(error))
  .finally(() => reactRoot.render(<Page parley={parley} />));
