import type { FileRecord } from "@parley/protocol/files";
import type { Channel, ChatMessage, Member } from "@parley/protocol/models";
import type { ActorKind } from "@parley/protocol/values";
import type { Transcript } from "@parley/protocol/voice-notes";
import type { Picture } from "../model/files/file-kind.ts";
import type { OneUseLink } from "../state/one-use-link.ts";

/** A tab of the profile window. */
export type ProfileTab = "profile" | "notifications" | "wallets" | "account" | "security";

/** Whose webhooks, with its name. */
export type HookOwner = { name: string } & ({ channel_id: number } | { agent_id: number });

/** An agent to begin with in the list, and why; with `budget` its budgets are open. */
export interface ShownAgent {
  name: string;
  reason: string;
}

/** A message to be reminded of, with the note of an earlier reminder. */
export interface RemindedMessage {
  messageId: number;
  note: string | null;
}

/** The window that is open over the page; its code is loaded when it is first opened. */
export type OpenDialog =
  | { window: "profile"; tab?: ProfileTab }
  | { window: "agents"; show?: ShownAgent }
  | { window: "new agent" }
  | { window: "set up agent" }
  | { window: "setup"; code: string }
  | { window: "webhooks"; owner: HookOwner }
  | { window: "admin" }
  | { window: "shortcuts" }
  | { window: "switcher" }
  | { window: "new direct" }
  | { window: "invite" }
  | OneUseLink
  | { window: "scheduled" }
  | { window: "emoji" }
  | { window: "saved" }
  | { window: "forward"; message: ChatMessage }
  | { window: "reminders"; of?: RemindedMessage }
  | { window: "new channel" }
  | { window: "new poll"; channelId: number }
  | { window: "voice note"; by: string; onSend(file: FileRecord): void }
  | { window: "transcript"; fileId: number; transcript: Transcript | null }
  | { window: "new packet"; channel: Channel }
  | { window: "packet"; packetId: number }
  | { window: "reactions"; message: ChatMessage; reaction: string }
  | { window: "report"; message: ChatMessage }
  | { window: "pictures"; pictures: readonly Picture[]; at: number };

/** The card of a person or agent that is open. */
export interface OpenCard {
  kind: ActorKind;
  name: string;
  /** The channel in which the person is met; null: none. */
  channelId: number | null;
  /** The element beside which the card opens; null: none, so it is a window. */
  anchor: HTMLElement | null;
  /** The message that led here, which can be reported. */
  message?: ChatMessage;
  /** The membership, if known; then it can be changed here. */
  member?: Member;
  /** Called when the membership has changed or ended. */
  onChanged?(): void;
}
