import { expect } from "bun:test";
import type { Overrides } from "../../../src/server.ts";
import { forAllTests } from "../for-all-tests.ts";
import { type Frame, LiveSocket } from "./live-socket.ts";
import { type Client, startTestServer } from "./test-server.ts";

let names = 0;

/** Starts a server for all tests of a file, with the functions that most realtime tests need. */
export async function realtimeBench(overrides: Overrides = {}) {
  const server = await forAllTests(startTestServer({}, overrides));
  return {
    server,
    /** Opens a socket of this user, or of a guest. */
    open: (who: Client | null = null, on = server): Promise<LiveSocket> =>
      LiveSocket.open(on.url, who?.credential ?? {}),
  };
}

/** Creates a channel of this user. */
export async function newChannel(owner: Client, settings: object = {}): Promise<{ id: number; slug: string }> {
  const { status, body } = await owner.post("/api/channels", { name: `Channel ${++names}`, ...settings });
  expect(status).toBe(201);
  return { id: body.channel_id, slug: body.channel_slug };
}

/** Returns `ack undefined`, or `error` with its code. */
export const code = (frame: Frame): string => `${frame.event} ${frame.data.code}`;
