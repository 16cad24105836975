import type { AgentSendBody } from "@parley/protocol/agents";
import type { AgentItem } from "./inbox-reader.ts";
import type { RunHandlers } from "./inbox-run.ts";
import type { ClientOptions, RequestOptions } from "./request-options.ts";

export interface AgentOptions extends Omit<ClientOptions, "cookie" | "apiKey"> {
  apiKey: string;
  /** The agent's name; the first key that uses a name owns it. Messages and mentions belong to this name. */
  name: string;
}

export interface MentionsOptions extends RequestOptions {
  /** Restricts to one channel. */
  channel?: string | undefined;
}

export interface InboxOptions extends MentionsOptions {
  /** Default: all. */
  kinds?: readonly AgentItem["kind"][] | undefined;
  /** Leaves acknowledging to the caller. Default: false. */
  manualAck?: boolean | undefined;
  /**
   * The number of a program that must be the only reader: the answer to `calls.inbox({ reader: "new" })` has it. When a
   * newer program begins, the loop throws `inbox_taken`.
   */
  reader?: string | undefined;
}

/** `maxRetries` also limits how often `onItem` is called again. Default: no limit. */
export interface RunOptions extends RunHandlers, Omit<InboxOptions, "manualAck"> {}

export interface MessagesOptions extends RequestOptions {
  /** Starts after this seq. Default 0: with the first message. */
  afterSeq?: number | undefined;
}

export interface ReplyOptions extends RequestOptions {
  /** The number of this message among several to the same mention. Default 0. */
  part?: number | undefined;
}

/** The fields of a send beside the channel, the text and the agent's name. */
export type SendFields = Omit<AgentSendBody, "channel_slug" | "message" | "agent_name">;
