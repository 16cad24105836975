import { ParleyError } from "@parley/sdk";
import { Imports } from "@parley/sdk/groups";
import type { Parley } from "../../session/parley.ts";
import { hrefOf, placeIn } from "../../state/route.ts";

const LINK = /^https?:\/\/\S+$/i;

/**
 * Returns the address in the page of a link that somebody searches for: a link of this site, or one of the chat from which
 * the team came. Null for everything else, also for links that lead nowhere here.
 */
export async function pastedPlace(parley: Parley, text: string): Promise<string | null> {
  const url = text.trim();
  if (!LINK.test(url)) return null;
  const own = placeIn(url, location.origin);
  if (own !== null) return own;
  try {
    const { channel_slug: slug, message_id, thread_root_id } = await parley.client.group(Imports).oldLink(url);
    return hrefOf({ slug, threadId: thread_root_id, messageId: message_id });
  } catch (error) {
    if (error instanceof ParleyError && error.code === "message_not_found") return null;
    throw error;
  }
}
