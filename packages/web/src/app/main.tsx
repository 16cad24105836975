import type { ChatMessage } from "@parley/protocol/models";
import { createRoot } from "react-dom/client";
import { loadTexts } from "../i18n/use-texts.ts";
import { loadMarkdown } from "../markdown/message-text.tsx";
import { Parley } from "../session/parley.ts";
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
const parley = new Parley(location.origin, plainText);
// Without its texts the page is in English.
loadTexts(parley.preferences.language.get())
  .catch((error: unknown) => console.error(error))
  .finally(() => reactRoot.render(<Page parley={parley} />));
