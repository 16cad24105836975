import { addressKey } from "../../src/accounts/addresses/address-key.ts";
import { transact } from "../../src/db/transact.ts";
import { digestLetter } from "../../src/digests/letter.ts";
import { type DigestParameters, sendDue } from "../../src/digests/send-due.ts";
import { notificationsConsumer } from "../../src/notifications/start.ts";
import type { Client, Named, TestServer } from "./servers/test-server.ts";

/** Settings of a server that sends mail. Nothing listens at the mail server's port. */
export const MAILING = {
  smtp: { host: "127.0.0.1", port: 1, tls: "none", ca: null, login: null },
  mailFrom: { name: null, address: "chat@example.org" },
  publicUrl: "https://chat.example.org",
} as const;

export const SETTINGS = "/api/notifications/settings";
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** How long a user must be away, and a bit. */
export const AWAY_MS = 31 * MINUTE_MS;

/** A server whose time of day a test moves, people with confirmed addresses, and what is handed over to the mails. */
export class DigestScene {
  readonly server: TestServer;
  readonly clock: { ahead: number; now(): number };
  #count = 0;

  constructor(server: TestServer, clock: DigestScene["clock"]) {
    this.server = server;
    this.clock = clock;
  }

  /** Returns a new user who has confirmed an address. */
  async reader(): Promise<Named> {
    const user = await this.someone();
    const { db } = this.server.ctx;
    const email = `${user.username}@example.org`;
    await db.updateTable("users").set({ email }).where("username", "=", user.username).execute();
    const row = { user_id: await this.idOf(user), address_key: addressKey(email), confirmed_at: this.clock.now() };
    await db.insertInto("confirmed_addresses").values(row).execute();
    return user;
  }

  async someone(): Promise<Named> {
    const username = `user_${++this.#count}`;
    return Object.assign(await this.server.user(username), { username });
  }

  async idOf({ username }: { username: string }): Promise<number> {
    const row = await this.server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", username)
      .executeTakeFirstOrThrow();
    return row.id;
  }

  /** Returns a new channel with these members. */
  async newChannel(owner: Client, ...members: Client[]): Promise<number> {
    const { channel_id } = (await owner.post("/api/channels", { name: `Room ${++this.#count}` })).body;
    for (const member of members) await member.post(`/api/channels/${channel_id}/join`);
    return channel_id;
  }

  /** A reader of digests, somebody who writes to them, and their channel. */
  async people(): Promise<{ ann: Named; bob: Named; channel: number }> {
    const [ann, bob] = [await this.reader(), await this.someone()];
    return { ann, bob, channel: await this.newChannel(bob, ann) };
  }

  /** Posts a message, and makes its notifications. */
  async say(who: Client, channel_id: number, content: string, more: object = {}): Promise<number> {
    const { message_id } = (await who.post("/api/messages", { channel_id, content, ...more })).body;
    await notificationsConsumer(this.server.ctx).flush();
    return message_id;
  }

  /** Lets that much time pass, and decides about the digests that are due. */
  async pass(ms = AWAY_MS): Promise<void> {
    await notificationsConsumer(this.server.ctx).flush();
    this.clock.ahead += ms;
    await sendDue(this.server.ctx);
  }

  /** Returns the digests of a user that were handed over, the oldest first. */
  async mails(who: { username: string }): Promise<DigestParameters[]> {
    const rows = await this.server.ctx.db
      .selectFrom("mails")
      .select("parameters")
      .where("kind", "=", "digest")
      .where("user_id", "=", await this.idOf(who))
      .orderBy("id")
      .execute();
    return rows.map(({ parameters }) => JSON.parse(parameters) as DigestParameters);
  }

  /** Returns the newest digest of a user as it would be sent now, or why it would not. */
  async letter(who: { username: string }) {
    const parameters = (await this.mails(who)).at(-1);
    if (parameters === undefined) throw new Error("Nothing was handed over.");
    const userId = await this.idOf(who);
    return transact(this.server.ctx, (ctx) => digestLetter(ctx, userId, parameters));
  }

  /** Returns all that the newest digest of a user says. */
  async words(who: { username: string }): Promise<string> {
    return JSON.stringify(await this.letter(who));
  }

  row(userId: number) {
    return this.server.ctx.db.selectFrom("digests").selectAll().where("user_id", "=", userId).executeTakeFirst();
  }
}
