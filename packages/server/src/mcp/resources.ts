import type { PinsResponse } from "@parley/protocol/channels";
import type { MeResponse } from "@parley/protocol/inbox";
import { viewOf } from "../agents/prompt/authority.ts";
import { envelope, spokenIn } from "../agents/prompt/envelope.ts";
import { readableChannel } from "../channels/access/access.ts";
import { type McpCall, restOf } from "./mcp-call.ts";
import { readChannel } from "./reading-tools.ts";

/** A resource: the newest messages of a channel, or its pins. */
export interface ResourceName {
  slug: string;
  part: "messages" | "pins";
}

/** Reads a URI. Returns null if no resource can have it. */
export function parseUri(uri: string): ResourceName | null {
  const [, slug, pins] = /^parley:\/\/channel\/([a-z0-9-]{1,64})(\/pins)?$/.exec(uri) ?? [];
  return slug === undefined ? null : { slug, part: pins === undefined ? "messages" : "pins" };
}

const MIME = "text/plain";
const uriOf = (slug: string): string => `parley://channel/${slug}`;

export const TEMPLATES = {
  resourceTemplates: [
    {
      uriTemplate: "parley://channel/{slug}",
      name: "channel",
      title: "A channel",
      description: "The newest 50 messages of a channel, fenced and labelled.",
      mimeType: MIME,
    },
    {
      uriTemplate: "parley://channel/{slug}/pins",
      name: "pins",
      title: "The pins of a channel",
      description: "The pinned messages of a channel, oldest pin first, fenced and labelled.",
      mimeType: MIME,
    },
  ],
};

/** Lists two resources for each channel that the agent is in: logged in to, or added to. */
export async function listResources(call: McpCall) {
  const { channels } = (await restOf(call)("getMe", {})) as unknown as MeResponse;
  const slugs = new Set(channels.map(({ channel_slug }) => channel_slug));
  const resources = [...slugs].sort().flatMap((slug) => [
    { uri: uriOf(slug), name: slug, title: `The newest messages of ${slug}`, mimeType: MIME },
    { uri: `${uriOf(slug)}/pins`, name: `${slug}/pins`, title: `The pinned messages of ${slug}`, mimeType: MIME },
  ]);
  return { resources };
}

/** Returns the text of a resource. Errors: those of `readableChannel`. */
export async function readResource(call: McpCall, uri: string, { slug, part }: ResourceName) {
  const text =
    part === "pins" ? await pinsOf(call, slug) : (await readChannel(restOf(call), { channel_slug: slug })).text;
  return { contents: [{ uri, mimeType: MIME, text }] };
}

async function pinsOf(call: McpCall, slug: string): Promise<string> {
  const { ctx, caller } = call;
  const { id } = await readableChannel(ctx, caller, { slug });
  const answer = await restOf(call)("listPins", { params: { channel_id: id } });
  const { messages } = answer as unknown as PinsResponse;
  const title = `Pinned messages of the channel ${JSON.stringify(slug)}`;
  return envelope(ctx, title, spokenIn(await viewOf(ctx, caller, messages.toReversed()))).rendered;
}
