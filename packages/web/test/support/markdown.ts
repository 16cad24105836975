import { type ComponentType, type Context, createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { Mention, Text } from "../../src/markdown/text.ts";
import { Store } from "../../src/state/store.ts";

interface Texts {
  MessageText: ComponentType<{ message: Text }>;
  loadMarkdown(): Promise<void>;
}
const SRC = "../../src";
// Names that the compiler does not follow: the components have the types of browsers, the tests those of Bun.
const { MessageText, loadMarkdown }: Texts = await import(`${SRC}/markdown/message-text.tsx`);
const { ParleyContext }: { ParleyContext: Context<object> } = await import(`${SRC}/session/parley-context.ts`);
await loadMarkdown();

const guest = {
  session: new Store({ state: "guest" }),
  self: null,
  // The emoji of the server are on their way.
  live: { onEvent: () => () => {} },
  client: { group: () => ({ list: () => new Promise(() => {}) }) },
  channels: { view: new Store({ channels: [{ channel_slug: "general", is_direct: false }] }) },
};

/** Returns the markup of the elements that the page shows for a message. The page itself makes no markup. */
export function shown(content: string, mentions: readonly Mention[] = []): string {
  const text = createElement(MessageText, { message: { content, mentions } });
  return renderToStaticMarkup(createElement(ParleyContext.Provider, { value: guest }, text))
    .replace(/^<div class="body" dir="auto">(.*)<\/div>$/s, "$1")
    .replace(/^<div class="markdown">(.*)<\/div>$/s, "$1");
}
