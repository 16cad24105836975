import type { LinkData } from "mdast";
import type { Reading } from "../zulip-reading.ts";

type Target = NonNullable<LinkData["target"]>;

const NARROW = /^(?:https?:\/\/([^/?#]{1,300}))?\/?#(?:narrow)\/(.{1,4000})$/;

/** Returns the message or channel of the export to which an address of the organisation leads. */
export function targetOf(address: string, { realm, index }: Pick<Reading, "realm" | "index">): Target | undefined {
  const [, host, path = ""] = NARROW.exec(address) ?? [];
  if (path === "" || (host !== undefined && !isOwnHost(host.toLowerCase(), realm))) return undefined;
  const parts = path.split("/").slice(0, 20);
  const termOf = (...names: string[]): string | undefined => {
    const at = parts.findIndex((part, place) => place % 2 === 0 && names.includes(part));
    return at < 0 ? undefined : parts[at + 1];
  };
  const near = /^\d{1,16}$/.exec(termOf("near", "with", "id") ?? "")?.[0];
  const people = termOf("dm", "pm-with", "group-pm-with");
  if (people !== undefined) return talkTarget(people, near);
  const stream = streamOf(termOf("channel", "stream", "streams") ?? "", realm);
  if (stream === undefined) return undefined;
  const topic = termOf("topic", "subject");
  const root = topic === undefined ? null : index.rootOf({ recipient: stream.recipient, topic: decoded(topic) });
  return { channelId: stream.id, messageId: near ?? root };
}

/** The export does not have the address of its server. It has the first part, or addresses that Zulip made of it. */
const isOwnHost = (host: string, { subdomain, hosts }: Reading["realm"]): boolean =>
  hosts.has(host) || (subdomain !== "" && host.startsWith(`${subdomain}.`));

function talkTarget(people: string, near: string | undefined): Target | undefined {
  const ids = (/^[\d,]{1,400}/.exec(people)?.[0] ?? "").split(",").filter(Boolean);
  if (ids.length !== 2 || near === undefined) return undefined;
  return { channelId: ids.sort((a, b) => Number(a) - Number(b)).join(","), messageId: near };
}

function streamOf(text: string, { streams, streamIds }: Reading["realm"]) {
  const byId = streams.get(/^\d{1,16}(?=-|$)/.exec(text)?.[0] ?? "");
  return byId ?? streams.get(streamIds.get(decoded(text).toLowerCase()) ?? "");
}

/** Zulip writes a dot in the place of the sign of an encoded character. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("%", "%25").replaceAll(".", "%"));
  } catch {
    return text;
  }
}
