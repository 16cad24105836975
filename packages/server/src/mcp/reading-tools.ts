import { AgentSessionsResponse } from "@parley/protocol/agent-sessions";
import { AgentMessagesResponse } from "@parley/protocol/agents";
import { ListChannelsResponse } from "@parley/protocol/channels";
import { ListChannelsInput, ListSessionsInput, ReadChannelInput, SearchInput } from "@parley/protocol/mcp";
import { SearchResponse } from "@parley/protocol/search";
import { quoted } from "../agents/prompt/visible-text.ts";
import { counted } from "../base/counted.ts";
import type { Rest } from "./mcp-call.ts";
import { CHANNEL, reads, type Tool, type ToolAnswer, tool } from "./tool.ts";

const PAGE = 50;

/** The tools that read channels. */
export const readingTools: readonly Tool[] = [
  tool({
    name: "list_channels",
    title: "List channels",
    description:
      "Lists the channels that this agent can see, its own first. Use `channel_slug` to name a channel in other tools.",
    input: ListChannelsInput,
    output: ListChannelsResponse,
    effects: reads(true),
    routes: ["listChannels"],
    invalid: { limit: "invalid_limit" },
    async run(rest, { limit = PAGE, after_id }) {
      const body = await rest("listChannels", { query: { limit, after_id } });
      return { body, text: channelsText(body as unknown as ListChannelsResponse) };
    },
  }),
  tool({
    name: "read_channel",
    title: "Read a channel",
    description:
      "Reads messages of a channel, oldest to newest; the newest page by default. `after_seq` returns what is new since then, `before` older pages.",
    input: ReadChannelInput,
    output: AgentMessagesResponse,
    effects: reads(true),
    routes: ["listAgentMessages"],
    invalid: {
      ...CHANNEL,
      limit: "invalid_limit",
      before: "invalid_cursor",
      after_seq: "invalid_cursor",
      thread_root_id: "invalid_id",
    },
    run: (rest, { channel, limit = PAGE, ...cursors }) =>
      readChannel(rest, { channel_slug: channel, limit, ...cursors }),
  }),
  tool({
    name: "list_sessions",
    title: "List agents at work",
    description:
      "Lists what agents do in the threads of this agent's channels, newest first. `waiting`: for an answer of a person.",
    input: ListSessionsInput,
    output: AgentSessionsResponse,
    effects: reads(true),
    routes: ["listAgentSessions"],
    invalid: { limit: "invalid_limit", offset: "invalid_cursor" },
    async run(rest, query) {
      const body = await rest("listAgentSessions", { query });
      return { body, text: sessionsText(body as unknown as AgentSessionsResponse) };
    },
  }),
  tool({
    name: "search",
    title: "Search messages",
    description: "Searches the messages that this agent may read, newest first.",
    input: SearchInput,
    output: SearchResponse,
    effects: reads(true),
    routes: ["searchMessages"],
    invalid: { query: ["query_required", "invalid_query"], limit: "invalid_limit", before: "invalid_cursor" },
    async run(rest, { query: q, channel: channel_slug, before, limit = PAGE }) {
      const query = { q, channel_slug, before, limit, format: "context" };
      return renderedAnswer(await rest("searchMessages", { query }));
    },
  }),
];

/** Reads a page of a channel. */
export async function readChannel(
  rest: Rest<"listAgentMessages">,
  query: Record<string, unknown>,
): Promise<ToolAnswer> {
  return renderedAnswer(await rest("listAgentMessages", { query: { ...query, format: "context" } }));
}

/**
 * Returns an answer with `format=context`. The fenced text is in both forms of the answer: some hosts give the model only the text,
 * and others only the structured content.
 */
export const renderedAnswer = (body: Record<string, unknown>): ToolAnswer => ({
  body,
  text: `${body.rendered}${omittedHint(body.omitted)}`,
});

/** Says how to read what an envelope leaves out. */
export const omittedHint = (omitted: unknown): string =>
  omitted === undefined || omitted === 0
    ? ""
    : `\n\n${counted(Number(omitted), "older message")} did not fit. Call again with a smaller limit to read them.`;

/** Lists slugs, which need no fence. The names that people gave them are in the structured content only. */
function channelsText({ channels, next_after_id: next }: ListChannelsResponse): string {
  const lines = channels.map(({ channel_slug: slug, is_private, member_count, last_seq }) => {
    const kind = is_private ? "private" : "public";
    return `- ${slug} (${kind}, ${counted(member_count, "member")}, last_seq ${last_seq})`;
  });
  const more = next === null ? [] : [`There are more: call again with after_id ${next}.`];
  return [`${counted(channels.length, "channel")}:`, ...lines, ...more].join("\n");
}

/** Lists sessions in a line each. A title is what an agent wrote: it is quoted, and data. */
function sessionsText({ sessions, next_offset: next }: AgentSessionsResponse): string {
  const lines = sessions.map(({ agent_name, state, since, title, channel_id, thread_root_id }) => {
    const named = title === null ? "" : `: ${quoted(title)}`;
    return `- ${quoted(agent_name)}, ${state} since ${since}, channel ${channel_id}, thread ${thread_root_id}${named}`;
  });
  const more = next === null ? [] : [`There are more: call again with offset ${next}.`];
  return [`${counted(sessions.length, "session")}:`, ...lines, ...more].join("\n");
}
