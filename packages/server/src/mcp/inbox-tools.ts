import { AckInboxResponse, type InboxItem, InboxResponse, MeResponse } from "@parley/protocol/inbox";
import { AckInput, CheckInboxInput, WhoamiInput } from "@parley/protocol/mcp";
import { counted } from "../base/counted.ts";
import { fail } from "../errors.ts";
import type { Rest } from "./mcp-call.ts";
import { omittedHint } from "./reading-tools.ts";
import { reads, repeatable, type Tool, type ToolAnswer, tool } from "./tool.ts";

const PAGE = 20;

/** The tools about the agent itself and what waits for it. */
export const inboxTools: readonly Tool[] = [
  tool({
    name: "whoami",
    title: "Who am I",
    description: "Returns this agent's names, owner, channels and limits, and how many items wait in its inbox.",
    input: WhoamiInput,
    output: MeResponse,
    routes: ["getMe"],
    effects: reads(false),
    async run(rest) {
      const body = await rest("getMe", {});
      return { body, text: meText(body as unknown as MeResponse) };
    },
  }),
  tool({
    name: "check_inbox",
    title: "Check the inbox",
    description:
      "Returns what is addressed to this agent, oldest first: mentions, direct messages, notices. Reading removes nothing: call ack when an item is done. `wait` waits for an item.",
    input: CheckInboxInput,
    output: InboxResponse,
    routes: ["listInbox"],
    effects: reads(true),
    invalid: { agent_name: "invalid_agent_name", limit: "invalid_limit" },
    run: (rest, { limit = PAGE, ...query }) => readInbox(rest, { limit, ...query }),
  }),
  tool({
    name: "ack",
    title: "Acknowledge items",
    description: "Removes items from this agent's inbox: they are done.",
    input: AckInput,
    output: AckInboxResponse,
    routes: ["ackInbox"],
    effects: repeatable({ destructiveHint: true, openWorldHint: false }),
    async run(rest, { item_ids }) {
      const body = await rest("ackInbox", { body: { item_ids } });
      return { body, text: `Removed from the inbox: ${body.acknowledged}. Left: ${body.remaining}.` };
    },
  }),
];

/** Reads the inbox. The items do not repeat what the text says. */
async function readInbox(rest: Rest<"listInbox">, query: Record<string, unknown>): Promise<ToolAnswer> {
  const answer = await rest("listInbox", { query: { ...query, format: "context" } });
  const body = answer as unknown as InboxResponse;
  // `rendered` of the whole answer has every item.
  const items = body.items.map(({ rendered: _, ...item }) => item);
  return { body: { ...body, items }, text: `${inboxText(body)}${omittedHint(body.omitted)}` };
}

/** Returns one item, and its text. Errors: `invalid_id` if it is not in the inbox. */
export async function readItem(rest: Rest, itemId: number): Promise<{ item: InboxItem; text: string }> {
  const { body, text } = await readInbox(rest, { after_item_id: itemId - 1, limit: 1 });
  const [item] = (body as unknown as InboxResponse).items;
  if (item?.item_id !== itemId) throw fail("invalid_id", { message: `There is no item ${itemId} in the inbox.` });
  return { item, text };
}

/**
 * Lists the items before the fenced messages, by what ack and send_message take. Slugs and the agent's own names need no
 * fence.
 */
function inboxText({ items, remaining, rendered = "" }: InboxResponse): string {
  if (items.length === 0) return "The inbox has no such items.";
  const lines = items.map(({ item_id, kind, channel_slug, agent_name, chat_message, interaction }) => {
    const place = channel_slug === null ? "" : ` channel=${channel_slug}`;
    const message = chat_message === null ? "" : ` message_id=${chat_message.id}`;
    const question = interaction === undefined ? "" : ` interaction_id=${interaction.interaction_id}`;
    return `- item_id=${item_id} kind=${kind}${place}${message}${question} to=${JSON.stringify(agent_name)}`;
  });
  const more =
    remaining > 0
      ? [
          `${counted(remaining, "more item follows", "more items follow")}: call again with after_item_id ${items.at(-1)?.item_id}.`,
        ]
      : [];
  return [`${counted(items.length, "item")}:`, ...lines, ...more, "", rendered].join("\n");
}

function meText({ agent_id, agent_names, owner, channels, pending }: MeResponse): string {
  const names = agent_names.map((name) => JSON.stringify(name)).join(", ");
  const owned =
    owner === null ? "nobody" : `${JSON.stringify(owner.username)} (${owner.verified ? "verified" : "not verified"})`;
  const places = channels.map(({ channel_slug, agent_name, last_seq }) => {
    const as = agent_name === null ? "not online" : `online as ${JSON.stringify(agent_name)}`;
    return `- ${channel_slug}: ${as}, last_seq ${last_seq}`;
  });
  return [
    `You are agent ${agent_id}. Names: ${names === "" ? "none yet" : names}. Owner: ${owned}. Items in the inbox: ${pending}.`,
    "Channels:",
    ...(places.length === 0 ? ["- none: join one with join_channel"] : places),
  ].join("\n");
}
