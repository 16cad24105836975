import { afterAll, beforeAll, expect } from "bun:test";
import type { Overrides } from "../../../src/server.ts";
import { type Frame, LiveSocket } from "./live-socket.ts";
import { type Client, startTestServer, type TestServer } from "./test-server.ts";

export type NamedUser = Client & { name: string };

let names = 0;

/** One server for all realtime tests of a file, with the functions that most of them need. */
export class RealtimeBench {
  #server: TestServer | null = null;

  constructor(overrides: Overrides = {}) {
    beforeAll(async () => {
      this.#server = await startTestServer({}, overrides);
    });
    afterAll(async () => {
      await this.#server?.[Symbol.asyncDispose]();
    });
  }

  get server(): TestServer {
    if (this.#server === null) throw new Error("The server is not up yet.");
    return this.#server;
  }

  /** Creates a user with a new name. */
  newUser = async (on = this.server): Promise<NamedUser> => {
    const name = `user${++names}`;
    return Object.assign(await on.user(name), { name });
  };

  /** Opens a socket of this user, or of a guest. */
  open = (who: Client | null = null, on = this.server): Promise<LiveSocket> =>
    LiveSocket.open(on.url, who?.credential ?? {});
}

/** Creates a channel of this user. */
export async function newChannel(owner: Client, settings: object = {}): Promise<{ id: number; slug: string }> {
  const { status, body } = await owner.post("/api/channels", { name: `Channel ${++names}`, ...settings });
  expect(status).toBe(201);
  return { id: body.channel_id, slug: body.channel_slug };
}

/** Returns `ack undefined`, or `error` with its code. */
export const code = (frame: Frame): string => `${frame.event} ${frame.data.code}`;
