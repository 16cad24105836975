import type { Channel } from "@parley/protocol/models";
import { useUnfinishedDeletions } from "../messages/undo/use-unfinished.ts";
import type { Conversation } from "../model/conversation.ts";
import { AbsentMentions } from "./absent/absent-mentions.tsx";
import { SilentAgents } from "./silent-agents.tsx";

/** The notes above the composer: which agents cannot answer, and who does not see the last message. */
export function AboveComposer({ channel, conversation }: { channel: Channel; conversation: Conversation }) {
  useUnfinishedDeletions();
  return (
    <>
      <SilentAgents channel={channel} />
      <AbsentMentions channel={channel} conversation={conversation} />
    </>
  );
}
