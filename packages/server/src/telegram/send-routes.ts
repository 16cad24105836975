import { AgentSendBody } from "@parley/protocol/agents";
import { ReplyKeyboard, ShownComponents } from "@parley/protocol/cards";
import { Id, Nullable } from "@parley/protocol/values";
import { type Static, Type } from "typebox";
import { sendAsAgent } from "../agents/agents.service.ts";
import { sentFields } from "../agents/sent-fields.ts";
import type { AppContext } from "../context.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import type { PostInput } from "../messages/append/post-input.ts";
import { endSurplusMenus } from "../messages/menus/ends.ts";
import { copyOfSource } from "./copies.ts";
import { STORED_MAX } from "./text/stored-max.ts";
import { termsOf } from "./twin-terms.ts";

const SendBody = Type.Object({
  ...AgentSendBody.properties,
  message: Type.String({ maxLength: STORED_MAX }),
  /** The buttons of a message, and the keyboard that it shows or removes. */
  markup: Type.Optional(Type.Object({ menu: Nullable(ShownComponents), keyboard: Nullable(ReplyKeyboard) })),
});

/** The message whose text another one has. */
const Copied = Type.Object({
  source_message_id: Id,
  /** True: its writer is in the first line. */
  names_source: Type.Boolean(),
});
export type Copied = Static<typeof Copied>;

/** `sendAgentMessage` for longer texts, with buttons. */
export const longSend = (twin: Route): Route =>
  route({
    ...termsOf(twin),
    name: "sendTelegramMessage",
    auth: "agent",
    body: SendBody,
    handle: ({ ctx, caller, body }) => sendBody(ctx, caller, body),
  });

/** `sendAgentMessage` with the text of another message, as far as it may be copied when the new one is stored. */
export const copySend = (twin: Route): Route =>
  route({
    ...termsOf(twin),
    name: "copyTelegramMessage",
    auth: "agent",
    body: Type.Object({ ...SendBody.properties, ...Copied.properties }),
    handle({ ctx, caller, body: { source_message_id, names_source, ...body } }) {
      const copied = { messageId: source_message_id, namesSource: names_source };
      return copyOfSource(ctx, caller, copied, body, (message, step) =>
        sendBody(ctx, caller, { ...body, message }, { step }),
      );
    },
  });

async function sendBody(
  ctx: AppContext,
  caller: AgentIdentity,
  body: Static<typeof SendBody>,
  more: Pick<PostInput, "step"> = {},
): Promise<ReadyJson> {
  const { markup } = body;
  const posted = await sendAsAgent(ctx, caller, body, null, undefined, { contentMax: STORED_MAX, markup, ...more });
  if (markup?.menu != null) await endSurplusMenus(ctx, caller.agentId, posted.agentName ?? "");
  const fields = JSON.stringify({ success: true, ...sentFields(posted) }).slice(0, -1);
  return new ReadyJson(`${fields},"chat_message":${posted.json}}`, 200);
}
