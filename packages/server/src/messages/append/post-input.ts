import type { Activity } from "@parley/protocol/activity";
import type { UsageReport } from "@parley/protocol/budgets";
import type { CardFields } from "@parley/protocol/card-calls";
import type { Channel } from "../../channels/channel.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import type { SentCard } from "../cards/sending.ts";
import type { PendingAgent } from "../loop-guard/loop-guard.ts";
import type { Markup } from "../menus/markup.ts";
import type { Step } from "./draft.ts";

/** A message to post, for `postMessage`. */
export interface PostInput {
  caller: UserIdentity | AgentIdentity;
  /** From `writableChannel`: the caller may post here. */
  channel: Channel;
  /** May be empty with a sticker. */
  content: string;
  /** The most code points of `content`; `CONTENT_MAX` if absent. */
  contentMax?: number | undefined;
  stickerId?: number | null | undefined;
  clientMsgId?: string | null | undefined;
  replyToId?: number | null | undefined;
  threadRootId?: number | null | undefined;
  alsoInChannel?: boolean | null | undefined;
  fileIds?: readonly number[] | null | undefined;
  /** Seconds until the message disappears. */
  expiresIn?: number | null | undefined;
  /** False: its links get no previews. */
  linkPreviews?: boolean | undefined;
  /** Agents: what the message shows below its text, and asks. */
  card?: CardFields | null | undefined;
  /** Agents: the buttons that a bot shows with the message, instead of a card. */
  markup?: Markup | undefined;
  /** The record of a feature that the message shows, instead of a card. */
  feature?: SentCard | undefined;
  /** Agents: refuse if others have posted since this seq. */
  expectedLastSeq?: number | null | undefined;
  /** Agents: their display name, already bound to them. */
  agentName?: string | undefined;
  /** Agents: what the message cost, in their own words. */
  usage?: UsageReport | null | undefined;
  /** Agents: what they did, from `cleanActivity`. */
  activity?: readonly Activity[] | undefined;
  /** Agents whose messages precede this one though they are not sent yet: they count for the loop guard. */
  pendingAgents?: readonly PendingAgent[] | undefined;
  /** The step of a feature above in the transaction of this message. */
  step?: Step | undefined;
  /** Called when the message has its place in the append queue; anything posted afterwards follows it. */
  onQueued?: (() => void) | undefined;
}
