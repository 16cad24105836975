import type { StagedMessage } from "../stage.ts";
import { isEmpty, type Making } from "./batch-maker.ts";

/** Returns the messages of a page with the replies that are written behind their roots, which are older. */
export function withMoved({ plan, stage }: Making, page: readonly StagedMessage[]): StagedMessage[] {
  return page.flatMap((message) => {
    const replies = plan.at(message.place)?.replies ?? [];
    const moved = replies.flatMap(({ place }) => stage.messagesAfter(place - 1, 1));
    // They get their root's time.
    return [...(plan.isMoved(message.place) ? [] : [message]), ...moved.map((reply) => ({ ...reply, at: message.at }))];
  });
}

/** Returns the messages that are not taken yet. */
export const freshIn = (messages: readonly StagedMessage[], known: ReadonlyMap<string, number>): StagedMessage[] =>
  messages.filter((message) => !known.has(message.id) && !isEmpty(message));
