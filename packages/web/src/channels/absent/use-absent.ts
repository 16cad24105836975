import type { Channel, ChatMessage } from "@parley/protocol/models";
import { useEffect, useState } from "react";
import type { Conversation } from "../../model/conversation.ts";
import { useParley } from "../../session/parley-context.ts";
import { useSite } from "../../session/use-site.ts";
import { type Absent, bannedFrom, isClosed, mentionedIn, notMembers } from "./find-absent.ts";

interface Found {
  absent: readonly Absent[];
  /** Removes one of them, or all. */
  forget(one?: Absent): void;
}

/**
 * Returns who of those whom the user's last message from this page mentions cannot read it. The server has resolved the
 * mentions, so this tells nobody whether an account exists. `manages`: the user may read the channel's bans.
 */
export function useAbsent(channel: Channel, conversation: Conversation, manages: boolean): Found {
  const parley = useParley();
  const guestsRead = useSite()?.guest_read !== false;
  const [absent, setAbsent] = useState<readonly Absent[]>([]);
  const closed = isClosed(channel);
  const isWatched = closed || (manages && !guestsRead);
  const { id } = channel;
  useEffect(() => {
    if (!isWatched) return;
    const { client } = parley;
    /** The keys of messages that this page sends. */
    const sent = new Set<string>();
    let last = 0;
    const find = async (message: ChatMessage) => {
      const mentioned = mentionedIn(message);
      last = message.id;
      const here = namesIn(conversation);
      const found =
        mentioned.length === 0
          ? []
          : closed
            ? await notMembers(client, id, mentioned, here)
            : await bannedFrom(client, id, mentioned);
      if (last === message.id) setAbsent(found);
    };
    const watch = () => {
      for (const each of conversation.pendingMessages.all.get())
        if (conversation.isSendingHere(each)) sent.add(each.key);
      for (const message of conversation.view.get().messages.slice(-50)) {
        // Without an answer nothing is said.
        if (message.client_msg_id !== null && sent.delete(message.client_msg_id)) find(message).catch(() => {});
      }
    };
    const ends = [conversation.pendingMessages.all.subscribe(watch), conversation.view.subscribe(watch)];
    return () => {
      last = 0;
      for (const end of ends) end();
    };
  }, [parley, conversation, id, closed, isWatched]);
  return {
    absent,
    forget: (one) => setAbsent((all) => (one === undefined ? [] : all.filter((each) => each !== one))),
  };
}

/** Returns the names of agents that write or are online here. */
function namesIn(conversation: Conversation): ReadonlySet<string> {
  const wrote = conversation.view.get().messages.flatMap(({ agent_name }) => (agent_name === null ? [] : [agent_name]));
  const online = conversation.people.get().users.flatMap(({ kind, name }) => (kind === "agent" ? [name] : []));
  return new Set([...wrote, ...online]);
}
