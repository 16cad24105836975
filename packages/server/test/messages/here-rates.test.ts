import { expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { upload } from "../support/files/sent-file.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { forward } from "../support/forwards.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { type Client, type Named, startTestServer } from "../support/servers/test-server.ts";

/** The rates of `@here` (protocol §5): only a message that is stored counts, however it is sent. */
eachDatabase(async (_, open) => {
  const clock = stillClock();
  const server = await forAllTests(
    startTestServer({ rateLimits: "on", rateFactor: 1 }, { database: await open(), clock }),
  );
  /** Returns a channel's id, and a member of it who has called nobody so far. */
  async function member(fields: Record<string, unknown> = {}): Promise<{ id: number; ben: Named }> {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann, fields);
    await ben.post(`/api/channels/${id}/join`);
    return { id, ben };
  }
  const send = (user: Client, channel_id: number, more: object = {}) =>
    user.post("/api/messages", { channel_id, content: "@here", ...more });
  const sendMany = (user: Client, channel_id: number, messages: readonly object[]) =>
    user.post("/api/messages/send-many", { channel_id, messages });
  /** Checks that the user may call as often as this in the channel, and not once more. */
  async function expectLeft(user: Client, id: number, calls: number): Promise<void> {
    for (let n = 0; n < calls; n += 1) expect((await send(user, id)).status).toBe(201);
    expectError(await send(user, id), 429, "here_rate_limited");
  }

  test("forwards and sends count together, and a repeated forward takes nothing", async () => {
    const { id, ben } = await member();
    const source = await sayId(ben, id, "Lunch");
    const call = (client_msg_id: string) => forward(ben, source, { channel_id: id, comment: "@here", client_msg_id });
    expect((await send(ben, id)).status).toBe(201);
    for (const key of ["one", "two"]) expect((await call(key)).status).toBe(201);
    expectError(await call("three"), 429, "here_rate_limited");
    expect((await call("two")).body.deduplicated).toBe(true);
    expectError(await send(ben, id), 429, "here_rate_limited");
    // A forward without a call needs none.
    expect((await forward(ben, source, { channel_id: id })).status).toBe(201);
  });

  test("a send that slow mode refuses takes nothing", async () => {
    const { id, ben } = await member({ slow_mode_seconds: 5 });
    const source = await sayId(ben, id, "first");
    for (let n = 0; n < 4; n += 1) {
      expectError(await sendMany(ben, id, [{ content: "@here" }, { content: "and more" }]), 429, "slow_mode");
      expectError(await send(ben, id), 429, "slow_mode");
      expectError(await forward(ben, source, { channel_id: id, comment: "@here" }), 429, "slow_mode");
    }
    for (let n = 0; n < 3; n += 1) {
      clock.advance(5_000);
      expect((await send(ben, id)).status).toBe(201);
    }
  });

  test("parts that are not stored take nothing", async () => {
    const { id, ben } = await member();
    const calls = (count: number) => Array.from({ length: count }, () => ({ content: "@here" }));
    // The fourth is one too many, and none is stored.
    expectError(await sendMany(ben, id, calls(4)), 429, "here_rate_limited");
    await sayId(ben, id, "known", { client_msg_id: "known" });
    const conflict = [{ content: "known", client_msg_id: "known" }, ...calls(3)];
    expectError(await sendMany(ben, id, conflict), 409, "idempotency_conflict");
    await expectLeft(ben, id, 3);
  });

  test("of two calls that carry the same file, the one that is refused takes nothing", async () => {
    const { id, ben } = await member();
    const file_ids = [(await upload(ben, "some bytes", "notes.txt")).body.file.file_id];
    const sent = await Promise.all([send(ben, id, { file_ids }), send(ben, id, { file_ids })]);
    expect(sent.filter(({ status }) => status === 201)).toHaveLength(1);
    await expectLeft(ben, id, 2);
  });

  test("of two equal calls at once, only one takes", async () => {
    const { id, ben } = await member();
    const sent = await Promise.all([1, 2, 3].map(() => send(ben, id, { client_msg_id: "twin" })));
    expect(sent.filter(({ body }) => body.deduplicated === true)).toHaveLength(2);
    await expectLeft(ben, id, 2);
  });
});
