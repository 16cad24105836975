import { sessionCookie, startSession } from "../../src/accounts/sessions.ts";
import type { Pools } from "./arbitrary.ts";
import { Client, PASSWORD, startTestServer, type TestServer } from "./test-server.ts";

export const CALLERS = ["guest", "user", "owner", "administrator", "agent"] as const;
export type CallerKind = (typeof CALLERS)[number];

export const CHANNEL_PASSWORD = "open sesame 7";
const NAMES = { user: "ann", owner: "olga", administrator: "ruth" } as const;
const CHANNELS: readonly { channel_slug: string; name: string; is_private?: boolean; password?: string }[] = [
  { channel_slug: "open", name: "Open" },
  { channel_slug: "hidden", name: "Hidden", is_private: true },
  { channel_slug: "locked", name: "Locked", is_private: true, password: CHANNEL_PASSWORD },
];

/** A server with one caller of each kind and a little of everything, which a fuzzer may use up and have made anew. */
export class FuzzWorld implements AsyncDisposable {
  readonly server: TestServer;
  readonly #callers = new Map<CallerKind, Client>();
  #channelIds: number[] = [];
  #messageIds: number[] = [];
  #deletedId = 0;

  private constructor(server: TestServer) {
    this.server = server;
  }

  static async make(): Promise<FuzzWorld> {
    const world = new FuzzWorld(await startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
    const { server } = world;
    for (const name of Object.values(NAMES)) await server.user(name);
    await server.ctx.db
      .updateTable("users")
      .set({ admin_level: 3 })
      .where("username", "=", NAMES.administrator)
      .execute();
    world.#callers.set("guest", server.guest);
    world.#callers.set("agent", await server.agent("helper"));
    await world.renew();
    return world;
  }

  caller(kind: CallerKind): Client {
    const found = this.#callers.get(kind);
    if (found === undefined) throw new Error(`There is no ${kind}.`);
    return found;
  }

  /** New sessions, and the channels and messages that are gone. */
  async renew(): Promise<void> {
    const { ctx, url, config } = this.server;
    for (const [kind, name] of Object.entries(NAMES)) {
      const { id } = await ctx.db
        .selectFrom("users")
        .select("id")
        .where("username", "=", name)
        .executeTakeFirstOrThrow();
      const { token } = await startSession(ctx, id, { address: "127.0.0.1", userAgent: null });
      this.#callers.set(
        kind as CallerKind,
        new Client(url, { cookie: sessionCookie(config, token).split(";")[0] ?? "" }),
      );
    }
    const [owner, user, agent] = [this.caller("owner"), this.caller("user"), this.caller("agent")];
    for (const channel of CHANNELS) {
      const { channel_slug } = channel;
      const made = await owner.post("/api/channels", channel);
      if (made.status !== 201) continue;
      for (let n = 0; n < 4; n++) await owner.post("/api/messages", { channel_slug, content: `${n} @ann @helper` });
      if (channel_slug !== "open") continue;
      await user.post("/api/messages", { channel_slug, content: "mine" });
      const { body } = await user.post("/api/messages", { channel_slug, content: "gone" });
      await user.delete(`/api/messages/${body.message_id}`);
      this.#deletedId = body.message_id;
      await agent.post("/api/agenthub/login", { channel_slug, agent_name: "helper" });
      await agent.post("/api/agenthub/send", { channel_slug, message: "the agent's", agent_name: "helper" });
    }
    const slugs = CHANNELS.map(({ channel_slug }) => channel_slug);
    const channels = await ctx.db.selectFrom("channels").select("id").where("slug", "in", slugs).execute();
    this.#channelIds = channels.map(({ id }) => id);
    const messages = await ctx.db
      .selectFrom("messages")
      .select("id")
      .where("deleted_at", "is", null)
      .orderBy("id", "desc")
      .limit(14)
      .execute();
    this.#messageIds = messages.map(({ id }) => id);
  }

  /** What exists, by the names of the fields that ask for it. */
  get pools(): Pools {
    return {
      channel_id: [...this.#channelIds, ...this.#channelIds, 1, 99_999],
      channel_slug: ["general", "open", "open", "hidden", "locked", "nowhere"],
      username: [...Object.values(NAMES), "helper", "Nobody"],
      owner_username: [NAMES.user, "helper", "nobody"],
      messageId: [...this.#messageIds, this.#deletedId, 99_999],
      message_id: [...this.#messageIds, this.#deletedId, 99_999],
      reply_to_id: [...this.#messageIds.slice(0, 3), this.#deletedId, 99_999, null],
      agent_name: ["helper", "ann", "Helper Two"],
      session_id: [1, 2, 3, 99_999],
      // Passwords are slow to hash: few are good.
      password: [PASSWORD, CHANNEL_PASSWORD, "short", null],
      current_password: [PASSWORD, "wrong"],
      email: ["ann@example.org", "no address", null],
      client_msg_id: ["one", "two", null],
      evm_address: [`0x${"52908400098527886E0F7030069857D2E4169EE7"}`, "0x1", null],
      sol_address: ["11111111111111111111111111111111", "x", null],
      file: ["swagger-ui.js", "start.js", "nothing.js"],
      // A fuzzer does not wait.
      wait: [0],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}
