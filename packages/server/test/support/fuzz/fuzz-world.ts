import { retiredHash, retiredLookHash } from "../../../src/accounts/names/names.ts";
import { sessionCookie, startSession } from "../../../src/accounts/sessions/sessions.ts";
import { stillGif } from "../gifs.ts";
import { Client, PASSWORD, startTestServer, type TestServer } from "../servers/test-server.ts";
import { newSticker } from "../stickers.ts";
import type { Pools } from "./arbitrary.ts";
import { ClaimFuel } from "./claim-fuel.ts";

export const CALLERS = ["guest", "user", "owner", "administrator", "agent"] as const;
export type CallerKind = (typeof CALLERS)[number];

export const CHANNEL_PASSWORD = "open sesame 7";
const NAMES = { user: "ann", owner: "olga", administrator: "ruth" } as const;
const CHANNELS: readonly { channel_slug: string; name: string; is_private?: boolean; password?: string }[] = [
  { channel_slug: "open", name: "Open" },
  { channel_slug: "hidden", name: "Hidden", is_private: true },
  { channel_slug: "locked", name: "Locked", is_private: true, password: CHANNEL_PASSWORD },
];

/** A server with one caller and a few objects of each kind. A fuzzer may use them up; `renew` replaces them. */
export class FuzzWorld implements AsyncDisposable {
  readonly server: TestServer;
  readonly #fuel: ClaimFuel;
  readonly #callers = new Map<CallerKind, Client>();
  #channelIds: number[] = [];
  #messageIds: number[] = [];
  #deletedId = 0;
  #stickerIds: number[] = [];
  #packetIds: number[] = [];

  private constructor(server: TestServer, fuel: ClaimFuel) {
    this.server = server;
    this.#fuel = fuel;
  }

  static async make(): Promise<FuzzWorld> {
    const fuel = new ClaimFuel();
    const server = await startTestServer({
      rateLimits: "off",
      agentLoopLimit: 0,
      initialPoints: 1_000_000,
      ...fuel.config,
    });
    const world = new FuzzWorld(server, fuel);
    for (const name of Object.values(NAMES)) await server.user(name);
    await server.ctx.db
      .updateTable("users")
      .set({ admin_level: 3 })
      .where("username", "=", NAMES.administrator)
      .execute();
    world.#callers.set("guest", server.guest);
    await fuel.setAgent(server, "helper");
    await world.renew();
    return world;
  }

  caller(kind: CallerKind): Client {
    const found = this.#callers.get(kind);
    if (found === undefined) throw new Error(`There is no ${kind}.`);
    return found;
  }

  /** Creates new sessions, and replaces missing channels and messages. */
  async renew(): Promise<void> {
    const { ctx, url, config } = this.server;
    this.#callers.set("agent", await this.#fuel.renew(this.server));
    for (const [kind, name] of Object.entries(NAMES)) {
      const id = await this.#person(name);
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
    const { body: direct } = await user.post("/api/direct", { username: NAMES.owner });
    await user.post("/api/messages", { channel_id: direct.channel_id, content: "between us" });
    for (const mark of ["one", "two"]) await newSticker(user, stillGif(1, 1, mark));
    this.#stickerIds = (await user.get("/api/stickers")).body.stickers.map(
      ({ sticker_id }: { sticker_id: number }) => sticker_id,
    );
    await this.#renewPackets(user, owner);
    const slugs = CHANNELS.map(({ channel_slug }) => channel_slug);
    const channels = await ctx.db.selectFrom("channels").select("id").where("slug", "in", slugs).execute();
    this.#channelIds = [...channels.map(({ id }) => id), direct.channel_id];
    const messages = await ctx.db
      .selectFrom("messages")
      .select("id")
      .where("deleted_at", "is", null)
      .orderBy("id", "desc")
      .limit(14)
      .execute();
    this.#messageIds = messages.map(({ id }) => id);
  }

  /** Creates a packet that can be claimed, an empty one, and one in a hidden channel. */
  async #renewPackets(user: Client, owner: Client): Promise<void> {
    const make = async (who: Client, channel_slug: string, count: number) =>
      (await who.post("/api/red-packets", { channel_slug, total_amount: "20", count })).body.packet_id;
    const ids = [await make(user, "general", 20), await make(user, "general", 1), await make(owner, "hidden", 5)];
    await owner.post(`/api/red-packets/${ids[1]}/claim`);
    this.#packetIds = ids.filter((id) => id !== undefined);
  }

  /** Returns the id of the user. Creates an erased user again, although nobody else could take the name. */
  async #person(name: string): Promise<number> {
    const { db } = this.server.ctx;
    const found = await db.selectFrom("users").select("id").where("username", "=", name).executeTakeFirst();
    if (found !== undefined) return found.id;
    await db
      .deleteFrom("retired_names")
      .where("name_hash", "in", [retiredHash(name), retiredLookHash(name)])
      .execute();
    await this.server.user(name);
    return this.#person(name);
  }

  /** Returns existing objects by the names of the fields that refer to them. */
  get pools(): Pools {
    return {
      channel_id: [...this.#channelIds, ...this.#channelIds, 1, 99_999],
      channel_slug: ["general", "open", "open", "hidden", "locked", "nowhere"],
      username: [...Object.values(NAMES), "helper", "Nobody"],
      owner_username: [NAMES.user, "helper", "nobody"],
      messageId: [...this.#messageIds, this.#deletedId, 99_999],
      message_id: [...this.#messageIds, this.#deletedId, 99_999],
      reaction: ["like", "👍", "❤", "r1", "r2", "no reaction"],
      sticker_id: [...this.#stickerIds, ...this.#stickerIds, 99_999, null],
      sticker_name: ["wave", "", "x".repeat(33), "a\u0007b"],
      packet_id: [...this.#packetIds, 99_999],
      total_amount: ["2", "20", "200", "0", "9".repeat(40), 20],
      count: [1, 2, 200, 0],
      chain: ["ledger", "evm"],
      currency: ["points", null, "ETH"],
      reply_to_id: [...this.#messageIds.slice(0, 3), this.#deletedId, 99_999, null],
      agent_name: ["helper", "ann", "Helper Two"],
      session_id: [1, 2, 3, 99_999],
      // Hashing passwords is slow, so few are valid.
      password: [PASSWORD, CHANNEL_PASSWORD, "short", null],
      current_password: [PASSWORD, "wrong"],
      email: ["ann@example.org", "no address", null],
      client_msg_id: ["one", "two", null],
      evm_address: [`0x${"52908400098527886E0F7030069857D2E4169EE7"}`, "0x1", null],
      sol_address: ["11111111111111111111111111111111", "x", null],
      file: ["style.css", "nothing.js"],
      ...this.#fuel.pools,
      // A fuzzer does not wait.
      wait: [0],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.#fuel[Symbol.dispose]();
  }
}
