import type { ChatMessage } from "@parley/protocol/models";
import type { AppContext } from "../../context.ts";
import type { AgentView } from "./authority.ts";
import { type Envelope, fenceWord, renderContext } from "./render-context.ts";
import { type Spoken, spokenMessage } from "./spoken.ts";

/** Renders what is given, oldest first, as the block that an agent's model reads (protocol §5). */
export const envelope = (
  ctx: AppContext,
  title: string,
  spoken: readonly Spoken[],
  maxChars?: number | undefined,
): Envelope => renderContext(title, spoken, { draw: () => fenceWord(ctx.clock), maxChars });

/** The messages of a view for `envelope`. With `channels` each names its channel. */
export const spokenIn = ({ messages, seen }: AgentView, { channels = false }: { channels?: boolean } = {}): Spoken[] =>
  messages.map((message: ChatMessage) => ({
    ...spokenMessage(message, seen(message.id)),
    channel: channels ? message.channel_slug : null,
  }));
