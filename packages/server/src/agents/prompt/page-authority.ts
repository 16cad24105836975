import type { Authority } from "@parley/protocol/envelope";
import { nameKey } from "../../accounts/names/names.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { type SenderRow, sendersOf } from "./authority.store.ts";
import { authorityOf } from "./authority.ts";

/**
 * The sender in the JSON text of a record, in the order in which `recordJson` writes the fields. No message can
 * contain it: within a JSON string every quote is escaped.
 */
const SENDER =
  /"sender_type":"(user|agent|system|webhook)","username":(null|"(?:[^"\\]|\\.)*"),"agent_name":(?:null|"(?:[^"\\]|\\.)*"),"agent_id":(null|\d+)/g;

/**
 * Adds `authority` to each record of a page of one channel, as the reading agent sees it now (protocol §5). Agents read
 * pages all the time, so the text is not parsed, and each user is looked up once: nobody is if only agents speak.
 */
export async function pageWithAuthority(
  ctx: AppContext,
  reader: AgentIdentity,
  channel: Channel,
  messagesJson: string,
): Promise<string> {
  const senders = [...messagesJson.matchAll(SENDER)];
  const names = new Set(senders.flatMap(([, kind, name = ""]) => (kind === "user" ? [name] : [])));
  const ofUsers = await authoritiesOf(ctx, reader, channel, [...names]);
  let marked = "";
  let from = 0;
  for (const { 0: text, 1: kind, 2: name = "", 3: agentId, index } of senders) {
    const authority = kind === "user" ? (ofUsers.get(name) ?? "guest") : programOf(reader, kind, agentId);
    const end = index + text.length;
    marked += `${messagesJson.slice(from, end)},"authority":"${authority}"`;
    from = end;
  }
  return marked + messagesJson.slice(from);
}

const programOf = (reader: AgentIdentity, kind: string | undefined, agentId: string | undefined): Authority => {
  if (kind === "webhook") return "webhook";
  if (kind !== "agent") return "guest";
  return Number(agentId) === reader.agentId ? "self" : "agent";
};

/** Returns the authority of users, by their names as JSON. */
async function authoritiesOf(
  ctx: AppContext,
  { agentId }: AgentIdentity,
  channel: Channel,
  names: readonly string[],
): Promise<Map<string, Authority>> {
  const byKey = new Map(names.map((name) => [nameKey(JSON.parse(name) as string), name]));
  const rows = await sendersOf(ctx.db, { agentId, channelId: channel.id }, [...byKey.keys()]);
  const now = ctx.clock.now();
  const authority = (row: SenderRow): Authority => {
    const facts = { agentId, ownerId: row.owner_id, isDirect: channel.direct !== null, now };
    return authorityOf({ ...row, sender_type: "user", agent_id: null, webhook_id: null }, facts);
  };
  return new Map(rows.map((row) => [byKey.get(row.username_key) ?? "", authority(row)]));
}
