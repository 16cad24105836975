import type { ChatMessage } from "@parley/protocol/models";
import { momentOf } from "../../i18n/date-format.ts";
import { useForwardsTexts } from "../../i18n/hooks/use-forwards-texts.ts";
import { MessageText } from "../../markdown/message-text.tsx";
import { makeForwardSources } from "../../model/forward-sources.ts";
import { senderOf } from "../../model/sender.ts";
import type { Parley } from "../../session/parley.ts";
import { useParley } from "../../session/parley-context.ts";
import { useLookup } from "../../state/lookup.ts";
import { messageHref } from "../../state/route.ts";

type Sources = ReturnType<typeof makeForwardSources>;

/** The sources that were asked for, for one user at a time. */
const known = new WeakMap<Parley, { self: string | null; sources: Sources }>();

function sourcesOf(parley: Parley): Sources {
  const made = known.get(parley);
  if (made !== undefined && made.self === parley.self) return made.sources;
  const sources = makeForwardSources(parley.client);
  known.set(parley, { self: parley.self, sources });
  parley.live.onEvent(({ event }) => void (event === "session:ready" && sources.refresh()));
  return sources;
}

/** What a message has of the one that it forwards: its text and its writer, or what the reader may see behind the link. */
export function ForwardedMessage({ message, isStop }: { message: ChatMessage; isStop: boolean }) {
  const texts = useForwardsTexts();
  const source = useLookup(sourcesOf(useParley()), message.id) ?? null;
  const { forwarded } = message;
  if (forwarded === undefined) return null;
  const shown = forwarded.is_copy ? forwarded : source;
  if (shown === null) return <p className="forwarded muted">{texts.hidden}</p>;
  const name = senderOf({ ...shown, webhook_name: shown.webhook_name ?? undefined } as ChatMessage);
  const at = shown.created_at;
  return (
    <blockquote className="forwarded">
      <p className="muted">
        <bdi>{texts.from(name)}</bdi>
        {at !== null && (
          <>
            {" · "}
            <time dateTime={at}>{momentOf(at)}</time>
          </>
        )}
      </p>
      {shown.content !== null && shown.content !== "" && (
        <MessageText message={{ content: shown.content, mentions: [] }} />
      )}
      {source !== null && (
        <a href={messageHref(source)} tabIndex={isStop ? 0 : -1}>
          {texts.show(`#${source.channel_slug}`)}
        </a>
      )}
    </blockquote>
  );
}
