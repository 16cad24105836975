import type { FileRecord } from "@parley/protocol/files";
import type { SearchHas, SearchIs } from "@parley/protocol/search";
import type { MessageRow } from "../event-log/message-json.ts";
import { storedCard } from "../event-log/stored-card.ts";
import type { Identity } from "../http/identity.ts";

/** What a message must have and be, besides its words. All of it must hold. */
export interface Facts {
  has: readonly SearchHas[];
  is: readonly SearchIs[];
}

/** One look at each letter: a message may be long, and a search looks at hundreds. */
const LINK = /(?<!\w)https?:\/\/[^\s<>"'`|]/iu;

const HAS: Record<SearchHas, (row: MessageRow) => boolean> = {
  file: ({ files }) => filesOf(files).length > 0,
  image: ({ files }) => filesOf(files).some(({ mime_type }) => mime_type.startsWith("image/")),
  link: ({ content }) => LINK.test(content),
  card: (row) => storedCard(row)?.components !== undefined,
  reaction: ({ reactions }) => reactions !== null,
};

const IS: Record<SearchIs, (row: MessageRow, caller: Identity) => boolean> = {
  pinned: ({ pinned_at }) => pinned_at !== null,
  thread: ({ thread, thread_root_id }) => thread !== null || thread_root_id !== null,
  edited: ({ edited_at }) => edited_at !== null,
  mine: isBy,
};

const filesOf = (files: string | null): FileRecord[] => (files === null ? [] : (JSON.parse(files) as FileRecord[]));

function isBy({ sender_type, user_id, agent_id }: MessageRow, caller: Identity): boolean {
  if (caller.kind === "user") return sender_type === "user" && user_id === caller.userId;
  return caller.kind === "agent" && sender_type === "agent" && agent_id === caller.agentId;
}

/** Returns the facts that a query asks for. Its values are checked: each is a name of the protocol. */
export const factsOf = (has: string | undefined, is: string | undefined): Facts => ({
  has: (has?.split(",") ?? []) as SearchHas[],
  is: (is?.split(",") ?? []) as SearchIs[],
});

/** Returns whether all facts hold for a message, as this caller sees it. */
export const holds = ({ has, is }: Facts, row: MessageRow, caller: Identity): boolean =>
  has.every((name) => HAS[name](row)) && is.every((name) => IS[name](row, caller));
