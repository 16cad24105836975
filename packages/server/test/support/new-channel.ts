import { expect } from "bun:test";
import type { Client } from "./servers/test-server.ts";

let made = 0;

/** Creates a channel for one test. */
export async function newChannel(
  owner: Client,
  settings: Record<string, unknown> = {},
): Promise<{ id: number; slug: string }> {
  const { status, body } = await owner.post("/api/channels", { name: `room ${++made}`, ...settings });
  expect(status).toBe(201);
  return { id: body.channel_id, slug: body.channel_slug };
}
