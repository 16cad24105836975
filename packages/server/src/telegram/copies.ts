import { type NamedChannel, refOf } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { Copy } from "../forwards/forward-copy.ts";
import { assertReadable, holdInOrder } from "../forwards/forwards.service.ts";
import { postFrom } from "../forwards/source.ts";
import type { AgentIdentity } from "../http/identity.ts";
import type { Step } from "../messages/append/draft.ts";
import { stored } from "./text/stored-max.ts";

/** The message that a bot copies. */
interface Copied {
  messageId: number;
  /** True: its writer is in the first line. */
  namesSource: boolean;
}

/**
 * Posts the text of a message in another place (protocol §15.5). It may be copied where a user's forward has a copy, and
 * `post` stores it with the step that decides so again. Errors: those of `assertReadable` and of `post`, `cannot_forward`.
 */
export async function copyOfSource<T>(
  ctx: AppContext,
  caller: AgentIdentity,
  { messageId, namesSource }: Copied,
  place: NamedChannel,
  post: (content: string, step: Step) => Promise<T>,
): Promise<T> {
  await holdInOrder(ctx, messageId, refOf(place));
  await assertReadable(ctx, caller, messageId);
  return postFrom(ctx, messageId, ({ copy }, step) => {
    if (!copy.is_copy) throw fail("cannot_forward");
    return post(stored(namesSource ? named(copy) : (copy.content ?? "")), step);
  });
}

function named({ content, username, agent_name, webhook_name }: Copy): string {
  const name = username ?? agent_name ?? webhook_name ?? "system";
  return `_Forwarded from ${name.replace(/[\\`*_~[\]]/g, "\\$&")}_\n\n${content}`;
}
