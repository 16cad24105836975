import type { AppContext } from "../../context.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { assertScope } from "../../http/key-scopes.ts";
import { withActivity } from "../activity/activity.ts";
import type { Draft, OpenStep, StoredDraft } from "../append/draft.ts";
import type { SentCard } from "../cards/sending.ts";
import { noteKeyboard } from "./keyboards.service.ts";
import { cardOf, type Markup, openMenuOf, storedMarkup } from "./markup.ts";
import { endMenu, putMenu } from "./menus.store.ts";

/** Returns what a send stores of its markup; null: nothing. Errors: `insufficient_scope`. */
export function markupToSend(caller: AgentIdentity, markup: Markup): SentCard | null {
  const json = storedMarkup(markup);
  if (json === null) return null;
  assertScope(caller, "cards");
  return { json, fingerprint: json, question: null, isMarkup: true };
}

/** Notes the menus of a batch of messages, in the transaction that stores them. */
export class MenusOfBatch implements OpenStep {
  static async open(_: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null> {
    return drafts.some(({ isMarkup }) => isMarkup === true) ? new MenusOfBatch() : null;
  }

  async write(ctx: AppContext, stored: readonly StoredDraft[]): Promise<void> {
    for (const { draft, answer } of stored) {
      if (draft.isMarkup !== true) continue;
      if (openMenuOf(answer.row) !== null) await putMenu(ctx.db, menuRow(answer.row, 1));
      await noteKeyboard(ctx, answer.row);
    }
  }
}

/**
 * Returns how an edit changes the menu of a message: it gets this one; null: its buttons go. Cards that the agent sent by
 * other ways stay. Errors: `insufficient_scope`.
 */
export function menuToEdit(
  caller: AgentIdentity,
  menu: Markup["menu"],
): (ctx: AppContext, before: MessageRow) => Promise<Pick<MessageRow, "card">> {
  if (menu !== null) assertScope(caller, "cards");
  return async (ctx, before) => {
    const { components, interaction, keyboard = null, activity } = cardOf(before) ?? {};
    const isOther = components !== undefined && interaction?.kind !== "menu";
    if (menu === null && (components === undefined || isOther)) return { card: before.card };
    if (menu === null) await endMenu(ctx.db, before.id);
    else await putMenu(ctx.db, menuRow(before, 1));
    return { card: withActivity(storedMarkup({ menu, keyboard }), activity) };
  };
}

const menuRow = ({ id, channel_id, agent_id, sender_name }: MessageRow, is_live: 0 | 1) => ({
  message_id: id,
  channel_id,
  agent_id: agent_id ?? 0,
  agent_name: sender_name,
  is_live,
});
