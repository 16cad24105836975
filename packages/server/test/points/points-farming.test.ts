import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { auditLedger } from "../../src/points/ledger-audit.ts";
import { datedClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/config.ts";
import { openPlace, SERVER_DATABASES } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import {
  Client,
  cookieOf,
  type Named,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../support/servers/test-server.ts";

const DAY = 86_400_000;

/** Attacks on points: likes by fake accounts, and new accounts whose initial points are drained by red packets. */
describe.each(SERVER_DATABASES)("farming points on %s", (backend) => {
  const clock = datedClock();
  let place: Awaited<ReturnType<typeof openPlace>> | undefined;
  let server: TestServer;
  beforeAll(async () => {
    if (backend === "postgres") place = await openPlace();
    const dataDir = temporaryFolder();
    const database = place === undefined ? {} : { database: { kind: "postgres", url: place.url } as const };
    server = await startTestServer({ rateLimits: "off", dataDir, ...database }, { clock });
    // The beginning of a UTC day, so that no test runs into the next day.
    clock.ahead = DAY - (clock.now() % DAY) + 1_000;
  });
  afterAll(async () => {
    expect((await auditLedger(server.ctx.db)).problems).toEqual([]);
    await server[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  let names = 0;
  async function invited(by: Named): Promise<Named> {
    const { invite_code } = (await by.get(`/api/user/${by.username}`)).body;
    const username = `${backend}${++names}`;
    const body = { username, password: PASSWORD, invite_code };
    const answer = await server.guest.post("/api/auth/register", body);
    expect(answer.status).toBe(201);
    return Object.assign(new Client(server.url, { cookie: cookieOf(answer) }), {
      username,
    });
  }

  const pointsOf = async (who: Named): Promise<number> =>
    (await who.get(`/api/user/${who.username}/points`)).body.points;

  async function say(who: Named, count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let n = 0; n < count; n++) {
      const { status, body } = await who.post("/api/messages", { channel_slug: "general", content: `${n}` });
      expect(status).toBe(201);
      ids.push(body.message_id);
    }
    return ids;
  }

  const like = async (who: Named, id: number) =>
    expect((await who.put(`/api/messages/${id}/reactions/like`)).status).toBe(200);
  const unlike = async (who: Named, id: number) =>
    expect((await who.delete(`/api/messages/${id}/reactions/like`)).status).toBe(200);
  const packet = (who: Named, amount: number, channel_slug = "general") =>
    who.post("/api/red-packets", { channel_slug, total_amount: String(amount), count: 1 });

  test("is limited for likes: forty likes by one person pay for five", async () => {
    const [author, puppet] = [await server.newUser(), await server.newUser()];
    const ids = await say(author, 40);
    await Promise.all(ids.map((id) => like(puppet, id)));
    expect(await pointsOf(author)).toBe(110);
  });

  test("is limited for likes by many people to 50 points a day", async () => {
    const author = await server.newUser();
    const [id = 0] = await say(author, 1);
    const people = await Promise.all(Array.from({ length: 27 }, server.newUser));
    await Promise.all(people.map((who) => like(who, id)));
    expect(await pointsOf(author)).toBe(150);
  });

  test("is limited for likes that are removed and repeated: each pays once, on every day", async () => {
    const [author, puppet] = [await server.newUser(), await server.newUser()];
    const ids = await say(author, 7);
    const [first = 0] = ids;
    for (let again = 0; again < 4; again++) {
      await like(puppet, first);
      await unlike(puppet, first);
    }
    expect(await pointsOf(author)).toBe(102);
    // The repeats did not use up the limit of five; the sixth and seventh are above it.
    for (const id of ids) await like(puppet, id);
    expect(await pointsOf(author)).toBe(110);
    clock.ahead += DAY;
    for (const id of ids) {
      await unlike(puppet, id);
      await like(puppet, id);
    }
    expect(await pointsOf(author)).toBe(114);
  });

  test("cannot drain five invited accounts by red packets", async () => {
    const inviter = await server.newUser();
    const puppets = await Promise.all(Array.from({ length: 5 }, () => invited(inviter)));
    for (const puppet of puppets) {
      for (const amount of [100, 1]) {
        const refused = await packet(puppet, amount);
        expectError(refused, 409, "points_on_hold");
        expect(refused.body.details).toEqual({ available: "0" });
      }
      expectError(await packet(puppet, 101), 409, "insufficient_balance");
    }
    expect(await pointsOf(inviter)).toBe(150);
    // An account that nobody invited can spend at once, in development.
    expect((await packet(inviter, 150)).status).toBe(201);
  });

  test("cannot spend an invited account's points twice with parallel red packets", async () => {
    const [inviter, giver] = [await server.newUser(), await server.newUser()];
    const puppet = await invited(inviter);
    const { packet_id } = (await packet(giver, 10)).body;
    expect((await puppet.post(`/api/red-packets/${packet_id}/claim`, {})).status).toBe(200);
    const { points, available, on_hold_until } = (await puppet.get(`/api/user/${puppet.username}/points`)).body;
    const { created_at } = (await puppet.get(`/api/user/${puppet.username}`)).body;
    expect([points, available, Date.parse(on_hold_until)]).toEqual([110, 10, Date.parse(created_at) + DAY]);
    // Each in its own channel, because packets of one channel take turns.
    const slugs = await Promise.all(
      Array.from({ length: 5 }, async (_, n) => {
        const { status, body } = await puppet.post("/api/channels", { name: `${puppet.username} ${n}` });
        expect([status, typeof body.channel_slug]).toEqual([201, "string"]);
        return body.channel_slug;
      }),
    );
    const made = await Promise.all(slugs.map((slug) => packet(puppet, 7, slug)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    for (const refused of made.filter(({ status }) => status === 409)) {
      expectError(refused, 409, "points_on_hold");
      expect(refused.body.details).toEqual({ available: "3" });
    }
    // A refund can be spent again.
    const { body } = made.find(({ status }) => status === 201) ?? { body: {} };
    expect((await puppet.post(`/api/red-packets/${body.packet_id}/cancel`, {})).status).toBe(200);
    expectError(await packet(puppet, 11), 409, "points_on_hold");
    const { packet_id: last } = (await packet(puppet, 10)).body;
    // Claimed, or it would expire and be refunded on the next day, before or after the points are read.
    expect((await giver.post(`/api/red-packets/${last}/claim`, {})).status).toBe(200);
    clock.ahead += DAY;
    const later = (await puppet.get(`/api/user/${puppet.username}/points`)).body;
    expect([later.points, later.available, later.on_hold_until]).toEqual([100, 100, null]);
    expect((await packet(puppet, 100)).status).toBe(201);
  });
});
