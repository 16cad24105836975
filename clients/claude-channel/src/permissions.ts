import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ParleyError } from "@parley/sdk";
import { z } from "zod";
import type { Connection } from "../../shared/src/connect.ts";
import { permissionText } from "../../shared/src/permission-text.ts";
import type { Receipts } from "../../shared/src/receipts.ts";
import { dropReports } from "../../shared/src/reports.ts";
import { type Items, placeOf } from "./inbox.ts";

const EXPIRES_SECONDS = 600;
/** Questions that may be open; a session asks one after the other. */
const OPEN_MAX = 20;

/** What Claude Code sends when it asks for a permission. It is asked in its terminal, too, and the first answer counts. */
export const PermissionRequest = z.object({
  method: z.literal("notifications/claude/channel/permission_request"),
  params: z.object({
    request_id: z.string().regex(/^[a-km-z]{5}$/),
    tool_name: z.string(),
    description: z.string().default(""),
    input_preview: z.string().default(""),
  }),
});
type Asked = z.infer<typeof PermissionRequest>["params"];

interface Parts {
  mcp: Server;
  connection: Connection;
  items: Items;
  receipts: Receipts;
  signal: AbortSignal;
}

const open = new Set<string>();

/**
 * Asks the owner with a card, in the thread of the newest message. Only a press answers; no text does. Without a message so
 * far, only the terminal asks. Claude Code does not say when its terminal was first: then the card's answer has no effect.
 */
export async function relayPermission(parts: Parts, asked: Asked): Promise<void> {
  const { mcp, connection, items, receipts, signal } = parts;
  const item = items.newest;
  if (item === undefined || open.has(asked.request_id) || open.size >= OPEN_MAX) return;
  open.add(asked.request_id);
  const { channel, thread } = placeOf(item);
  const { text } = permissionText({
    title: asked.description === "" ? asked.tool_name : asked.description,
    kind: asked.tool_name,
    places: [],
    content: pretty(asked.input_preview),
    language: "json",
    note: "This is also asked in the terminal. The first answer counts.",
  });
  try {
    const { decision, receipt } = await connection.client.ask(channel, text, {
      who: { owner: true },
      expires_in: EXPIRES_SECONDS,
      ...(thread === null ? {} : { threadRootId: thread }),
      signal,
    });
    receipts.keep(decision.interaction_id, receipt);
    await dropReports(connection.client, (line) => console.error(`parley: ${line}`));
    const action = decision.status === "decided" ? decision.result?.action_id : undefined;
    if (action === undefined) return;
    const behavior = action === "approve" ? "allow" : "deny";
    await mcp.notification({
      method: "notifications/claude/channel/permission",
      params: { request_id: asked.request_id, behavior },
    });
  } catch (error) {
    // The terminal still asks.
    if (!(error instanceof ParleyError) && !signal.aborted) throw error;
    console.error(`parley: a permission could not be asked for: ${error instanceof Error ? error.message : error}`);
  } finally {
    open.delete(asked.request_id);
  }
}

/** Claude Code sends JSON, which may be cut. */
function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
