import { expect } from "bun:test";
import { notificationsConsumer, pusher } from "../../src/notifications/start.ts";
import { PushService } from "./push-service.ts";
import type { Client, Named, TestServer } from "./servers/test-server.ts";

/** Settings with which a server sends to the push service of a test. */
export const EGRESS = { egressAllow: ["127.0.0.0/8"], pushSubject: "mailto:operator@example.org" };
export const SUBSCRIPTIONS = "/api/push/subscriptions";

/** A server whose time of day a test moves, a push service, and people who talk. */
export class PushScene {
  readonly server: TestServer;
  readonly clock: { ahead: number; now(): number };
  service = new PushService();
  #count = 0;

  constructor(server: TestServer, clock: PushScene["clock"]) {
    this.server = server;
    this.clock = clock;
  }

  newService(): void {
    this.service = new PushService();
  }

  async fresh(): Promise<Named> {
    const username = `user_${++this.#count}`;
    return Object.assign(await this.server.user(username), { username });
  }

  /** Returns a new channel with these members. */
  async newChannel(owner: Client, ...members: Client[]): Promise<number> {
    const id = (await owner.post("/api/channels", { name: `Room ${++this.#count}` })).body.channel_id;
    for (const member of members) await member.post(`/api/channels/${id}/join`);
    return id;
  }

  /** Subscribes a new browser of the push service. */
  async subscribe(who: Client): Promise<number> {
    const { public_key } = (await who.get("/api/push/key")).body;
    const answer = await who.post(SUBSCRIPTIONS, this.service.browser(public_key));
    expect(answer.status).toBe(201);
    return answer.body.subscription.subscription_id;
  }

  async say(who: Client, channel_id: number, content: string): Promise<number> {
    return (await who.post("/api/messages", { channel_id, content })).body.message_id;
  }

  /** A user with a browser, and somebody who mentions them. */
  async people(): Promise<{ ann: Named; bob: Named; channel: number }> {
    const [ann, bob] = [await this.fresh(), await this.fresh()];
    const channel = await this.newChannel(bob, ann);
    await this.subscribe(ann);
    return { ann, bob, channel };
  }

  /** Lets that much time pass, and begins to send what is due. */
  async begin(ms = 11_000): Promise<void> {
    await notificationsConsumer(this.server.ctx).flush();
    this.clock.ahead += ms;
    await pusher(this.server.ctx).pass();
  }

  /** Lets that much time pass, and sends what is due. */
  async pass(ms = 11_000): Promise<void> {
    await this.begin(ms);
    await pusher(this.server.ctx).settled();
  }

  /** Returns what waits to be sent. */
  queued() {
    return this.server.ctx.db.selectFrom("push_queue").selectAll().where("pending", "=", 1).execute();
  }
}
