import type { Root } from "mdast";
import type { SourceChannel, SourceMessage, SourceUser } from "../../../src/imports/source.ts";
import type { Stage, StagedMessage } from "../../../src/imports/stage.ts";

/** A text of one paragraph. */
export const textOf = (value: string): Root => ({
  type: "root",
  children: [{ type: "paragraph", children: [{ type: "text", value }] }],
});

export const sourceUser = (id: string, over: Partial<SourceUser> = {}): SourceUser => ({
  id,
  name: id.toLowerCase(),
  displayName: null,
  email: null,
  kind: "person",
  isGone: false,
  ...over,
});

export const sourceChannel = (id: string, over: Partial<SourceChannel> = {}): SourceChannel => ({
  id,
  name: id.toLowerCase(),
  kind: "public",
  topic: "",
  isArchived: false,
  creatorId: null,
  memberIds: [],
  createdAt: Date.UTC(2015, 0, 1),
  ...over,
});

export const sourceMessage = (
  id: string,
  over: Partial<Omit<SourceMessage, "text">> & { text?: Root | string } = {},
): SourceMessage => {
  const { text = id, ...rest } = over;
  return {
    id,
    channelId: "C1",
    senderId: "U1",
    at: Date.UTC(2015, 0, 2),
    order: 0,
    threadId: null,
    isAlsoInChannel: false,
    replyToId: null,
    editedAt: null,
    isTombstone: false,
    isPinned: false,
    reactions: [],
    files: [],
    ...rest,
    text: typeof text === "string" ? textOf(text) : text,
  };
};

/** The contents of a test's source. */
export interface Content {
  users: readonly SourceUser[];
  channels: readonly SourceChannel[];
  messages: readonly SourceMessage[];
}

/** A stage in memory, in the order of time. */
export function memoryStage({ users, channels, messages }: Content): Stage {
  const staged: StagedMessage[] = messages
    .toSorted((one, other) => one.at - other.at || one.order - other.order)
    .map((message, at) => ({ ...message, place: at + 1 }));
  const byId = new Map(staged.map((message) => [message.id, message]));
  return {
    workspace: { id: "T1", name: "Acme" },
    size: staged.length,
    users: () => users,
    channels: () => channels,
    membersOf: (id) => channels.find((channel) => channel.id === id)?.memberIds ?? [],
    messagesAfter: (after, limit) => staged.slice(after, after + limit),
    message: (id) => byId.get(id) ?? null,
    leftOut: () => [],
    async [Symbol.asyncDispose]() {},
  };
}

/** A stage with many plain messages of two people in two channels, a second apart, every tenth a reply. */
export function manyMessages(count: number): Content {
  const at = Date.UTC(2015, 0, 2);
  return {
    users: [sourceUser("U1"), sourceUser("U2")],
    channels: [sourceChannel("C1", { memberIds: ["U1", "U2"] }), sourceChannel("C2", { memberIds: ["U1"] })],
    messages: Array.from({ length: count }, (_, nth) => {
      const channelId = nth % 3 === 0 ? "C2" : "C1";
      const rootAt = nth - (nth % 30);
      const isReply = nth % 10 === 3 && channelId === "C2" && rootAt !== nth;
      return sourceMessage(`M${nth}`, {
        channelId,
        senderId: nth % 2 === 0 ? "U1" : "U2",
        at: at + nth * 1_000,
        text: `This is the message number ${nth}, about nothing in particular`,
        threadId: isReply ? `M${rootAt}` : null,
        reactions: nth % 7 === 0 ? [{ reaction: "👍", userIds: ["U1", "U2"] }] : [],
      });
    }),
  };
}
