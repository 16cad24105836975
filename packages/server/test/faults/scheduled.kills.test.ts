import { expect, test } from "bun:test";
import { SERVER_DATABASES } from "../support/databases.ts";
import { killAtEach, placeOn } from "../support/faults/kill-at-each.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { type Client, eventually, logIn, signUp } from "../support/servers/test-server.ts";

const PATH = "/api/scheduled";
const HOUR_MS = 3_600_000;
/** Longer than a message is taken for, and than the times of this test are ahead. */
const DOWN_MS = 2 * 60_000;
const TIMES = { scheduled_messages: ["send_at", "taken_at", "retry_at"] };
const ROOM = { channel_slug: "general" };
const TIMEOUT_MS = 400_000;

const later = (ms: number) => new Date(Date.now() + ms).toISOString();
const contents = async (user: Client, limit = 200): Promise<string[]> =>
  (await user.get(`/api/messages?channel_slug=general&limit=${limit}`)).body.messages.map(
    ({ content }: { content: string }) => content,
  );

/** Protocol §13.6: a message is sent once, whatever its node was doing when it died. */
for (const database of SERVER_DATABASES) {
  test(
    `a server on ${database} that is killed before any statement of a scheduled send leaves exactly one message`,
    async () => {
      await using place = await placeOn(database);
      const port = freePort();
      let ann: Client | undefined;
      const expected: string[] = [];
      const kills = await killAtEach(place, port, {
        statements: /"send_at" <=|update "scheduled_messages"|insert into "?messages\b/,
        times: TIMES,
        ms: DOWN_MS,
        async prepare(url, round) {
          ann ??= await signUp(url, "ann");
          const content = `number ${round}`;
          const answer = await ann.post(PATH, { ...ROOM, content, send_at: later(60_000) });
          expect([answer.status, answer.body.code]).toEqual([201, undefined]);
          expected.push(content);
          expect(await contents(ann)).toEqual(expected.slice(0, -1));
        },
        async isDone(url) {
          ann ??= await logIn(url, "ann");
          return (await ann.get(`${PATH}?status=waiting`)).body.scheduled.length === 0;
        },
      });
      // It reads what is due, takes it, stores the message and marks it as sent.
      expect(kills).toBeGreaterThanOrEqual(4);
      await using server = new ChildServer(place.folder, port, place.env);
      await server.start();
      const user = await logIn(server.url, "ann");
      expect(await contents(user)).toEqual(expected);
      const { scheduled } = (await user.get(PATH)).body;
      expect(new Set(scheduled.map(({ status }: { status: string }) => status))).toEqual(new Set(["sent"]));
      expect(new Set(scheduled.map((each: { message_id: number }) => each.message_id)).size).toBe(expected.length);
    },
    TIMEOUT_MS,
  );
}

test(
  "of a thousand messages that are due at once, kills in between double none and lose none",
  async () => {
    await using place = await placeOn("sqlite");
    await using server = new ChildServer(place.folder, freePort(), {
      ...place.env,
      PARLEY_PROFILE: "development",
      PARLEY_RATE_LIMITS: "off",
    });
    await server.start();
    const people = await Promise.all(Array.from({ length: 10 }, (_, n) => signUp(server.url, `user_${n}`)));
    const expected: string[] = [];
    for (const [n, person] of people.entries()) {
      for (let m = 0; m < 100; m += 1) {
        const content = `${n} says ${m}`;
        const answer = await person.post(PATH, { ...ROOM, content, send_at: later(HOUR_MS) });
        expect(answer.status).toBe(201);
        expected.push(content);
      }
    }
    const [ann] = people;
    if (ann === undefined) throw new Error("There is nobody.");
    await server.end("SIGKILL");
    await place.stayDown(HOUR_MS + DOWN_MS / 2, { scheduled_messages: ["send_at"] });
    const count = async (): Promise<number> => (await ann.get("/api/channels/1")).body.channel.last_seq;
    for (const share of [0.05, 0.3, 0.6]) {
      await server.start();
      await eventually("some are sent", async () => (await count()) > share * expected.length);
      await server.end("SIGKILL");
      // What it had taken is free again at once.
      await place.stayDown(DOWN_MS, { scheduled_messages: ["taken_at", "retry_at"] });
    }
    await server.start();
    const left = async () => {
      const lists = await Promise.all(people.map((person) => person.get(`${PATH}?status=waiting&limit=1`)));
      return lists.flatMap(({ body }) => body.scheduled).length;
    };
    await eventually("none waits", async () => (await left()) === 0);
    const sent: string[] = [];
    for (let before: number | undefined; ; ) {
      const from = before === undefined ? "" : `&before=${before}`;
      const { messages } = (await ann.get(`/api/messages?channel_slug=general&limit=200${from}`)).body;
      if (messages.length === 0) break;
      sent.push(...messages.map(({ content }: { content: string }) => content));
      before = messages[0].id;
    }
    expect(sent.toSorted()).toEqual(expected.toSorted());
  },
  TIMEOUT_MS,
);
