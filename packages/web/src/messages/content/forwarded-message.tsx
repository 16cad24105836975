import type { Forwarded } from "@parley/protocol/forwarded";
import { type ComponentType, useMemo } from "react";
import { MessageFiles } from "../../files/message-files.tsx";
import { momentOf } from "../../i18n/date-format.ts";
import { useForwardsTexts } from "../../i18n/hooks/use-forwards-texts.ts";
import { MessageText } from "../../markdown/message-text.tsx";
import { nameOf, ownWords } from "../../model/forward-sources.ts";
import { useParley } from "../../session/parley-context.ts";
import { useLookup } from "../../state/lookup.ts";
import { messageHref } from "../../state/route.ts";
import type { ContentProps } from "./content-props.ts";
import { sourcesOf } from "./shown-sources.ts";

/** The content of a forwarded message: its sender's own words, what it has of its source, and its files. */
export function ForwardedMessage({ Plain, ...props }: ContentProps & { Plain: ComponentType<ContentProps> }) {
  const { message, isStop } = props;
  const { id, forwarded } = message;
  const own = useMemo(() => ({ ...ownWords(message), files: [] }), [message]);
  if (forwarded === undefined) return null;
  return (
    <>
      {own.content !== "" && <Plain {...props} message={own} />}
      <Quoted id={id} forwarded={forwarded} isStop={isStop} />
      {message.files.length > 0 && <MessageFiles files={message.files} channelId={message.channel_id} isForward />}
    </>
  );
}

/** The copied text and its writer, or what the reader may see behind the link. */
function Quoted({ id, forwarded, isStop }: { id: number; forwarded: Forwarded; isStop: boolean }) {
  const texts = useForwardsTexts();
  const source = useLookup(sourcesOf(useParley()), id);
  const shown = forwarded.is_copy ? forwarded : source;
  if (shown == null) return <p className="forwarded muted">{shown === null ? texts.hidden : "…"}</p>;
  const { created_at: at, content } = shown;
  return (
    <blockquote className="forwarded">
      <p className="muted">
        <bdi>{texts.from(nameOf(shown))}</bdi>
        {at !== null && (
          <>
            {" · "}
            <time dateTime={at}>{momentOf(at)}</time>
          </>
        )}
      </p>
      {content !== null && content !== "" && <MessageText message={{ content, mentions: [] }} />}
      {source != null && (
        <a href={messageHref(source)} tabIndex={isStop ? 0 : -1}>
          {texts.show(`#${source.channel_slug}`)}
        </a>
      )}
    </blockquote>
  );
}
