import type { ChatMessage } from "@parley/protocol/models";
import { useEffect, useState } from "react";
import { MessageLine } from "../markdown/message-text.tsx";
import { senderInText } from "../model/sender.ts";
import { LinkPreviews } from "../previews/link-previews.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { retryUntilDone } from "../state/retry.ts";
import { messageHref, parseRoute, placeIn, type Route } from "../state/route.ts";

/** Messages that one message shows. */
const SHOWN = 3;
/** Messages that are kept, so that scrolling does not ask for them again. */
const KEPT = 200;

/** What was read, by the reader and the address; null: the reader may not see it, or there is none. */
const read = new Map<string, ChatMessage | null>();

/** Returns the messages of this site to which a text links, each once. */
export function linksIn(content: string, origin: string): Route[] {
  const found = new Map<number, Route>();
  for (const [url] of content.matchAll(/https?:\/\/[^\s<>()[\]"'`]+/g)) {
    const route = parseRoute(placeIn(url.replace(/[.,;:!?]+$/, ""), origin) ?? "");
    const id = route.messageId ?? route.threadId;
    if (route.slug !== null && id !== null && found.size < SHOWN) found.set(id, route);
  }
  return [...found.values()];
}

/** The targets of the links in a message: messages of this site, and pages. */
export function Linked({ message }: { message: ChatMessage }) {
  return (
    <>
      <LinkedMessages message={message} />
      {message.previews !== undefined && message.previews.length > 0 && <LinkPreviews message={message} />}
    </>
  );
}

/**
 * The messages to which a message links. The page of each reader reads them with that reader's rights, and shows nothing
 * of those that the reader may not see.
 */
function LinkedMessages({ message }: { message: ChatMessage }) {
  return linksIn(message.content, location.origin).map((route) => (
    <LinkedMessage key={route.messageId ?? route.threadId} route={route} />
  ));
}

function LinkedMessage({ route }: { route: Route }) {
  const linked = useLinked(route);
  if (linked === null || linked.is_deleted) return null;
  return (
    <a className="linked-message" href={messageHref(linked)}>
      <span className="muted">
        <bdi className="name">{senderInText(linked)}</bdi> · <bdi>#{linked.channel_slug}</bdi>
      </span>
      <bdi className="excerpt">
        <MessageLine message={linked} />
      </bdi>
    </a>
  );
}

function useLinked({ slug, messageId, threadId }: Route): ChatMessage | null {
  const parley = useParley();
  const self = useSelf();
  const id = messageId ?? threadId;
  const key = `${self ?? ""} ${slug} ${id}`;
  const [linked, setLinked] = useState(read.get(key) ?? null);
  useEffect(() => {
    if (read.has(key) || slug === null || id === null) return setLinked(read.get(key) ?? null);
    const keep = (message: ChatMessage | null) => {
      if (read.size >= KEPT) read.clear();
      read.set(key, message);
      setLinked(message);
    };
    const load = async () => {
      const { messages } = await parley.client.messages.list({ channel_slug: slug, ids: String(id) });
      keep(messages[0] ?? null);
    };
    return retryUntilDone(load, () => keep(null));
  }, [parley, key, slug, id]);
  return linked;
}
