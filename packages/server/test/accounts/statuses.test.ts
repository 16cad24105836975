import { expect, test } from "bun:test";
import { stillDate } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

eachDatabase(async (_, open) => {
  const clock = stillDate();
  const server = await forAllTests(startTestServer({}, { database: await open(), clock }));
  const after = (ms: number): string => new Date(clock.now() + ms).toISOString();
  const statusOf = async (name: string) => (await server.guest.get(`/api/user/${name}`)).body.status;

  test("a status is shown until its end, without anything that ends it", async () => {
    const ann = await server.user("ann");
    const status = { emoji: "🌴", text: "  On holiday ", expires_at: after(30 * MINUTE) };
    const { status: code, body } = await ann.put("/api/user/ann", { status });
    const shown = { ...status, text: "On holiday" };
    expect([code, body.user.status]).toEqual([200, shown]);
    const bulk = async () => (await server.guest.get("/api/profiles?usernames=ann")).body.profiles;
    expect(await bulk()).toEqual([{ username: "ann", display_name: null, status: shown }]);
    clock.ahead += 30 * MINUTE - 1;
    expect(await statusOf("ann")).toEqual(shown);
    clock.ahead += 1;
    expect([await statusOf("ann"), await bulk()]).toEqual([null, []]);
    const copy = (await ann.get("/api/user/ann/export")).body;
    expect(copy.user.status).toBeNull();
  });

  test("a status without an end stays until it is cleared, and a display name beside it stays", async () => {
    const bob = await server.user("bob");
    await bob.put("/api/user/bob", { display_name: "Боб", status: { text: "In a meeting" } });
    clock.ahead += 3 * DAY;
    expect(await statusOf("bob")).toEqual({ emoji: null, text: "In a meeting", expires_at: null });
    await bob.put("/api/user/bob", { status: null });
    expect((await bob.get("/api/user/bob")).body).toMatchObject({ display_name: "Боб", status: null });
  });

  test.each<[string, object]>([
    ["no text", { text: "" }],
    ["a blank text", { text: " \u200b " }],
    ["a line break", { text: "one\ntwo" }],
    ["marks of direction", { text: "abc\u202edef" }],
    ["a flood of marks", { text: `z${"\u0301\u0300\u0302".repeat(10)}` }],
    ["too long a text", { text: "x".repeat(81) }],
    ["far too long a text", { text: "x".repeat(100_000) }],
    ["a word as emoji", { text: "a", emoji: "hi" }],
    ["two emoji", { text: "a", emoji: "🌴🌴" }],
    ["hidden text in an emoji", { text: "a", emoji: "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}" }],
    ["an end in the past", { text: "a", expires_at: "2020-01-01T00:00:00.000Z" }],
    ["an end that is no time", { text: "a", expires_at: "tomorrow" }],
    ["no object", []],
  ])("a status with %s is refused", async (_, status) => {
    const who = await server.newUser();
    expectError(await who.put(`/api/user/${who.username}`, { status }), 400, "invalid_status");
    expect(await statusOf(who.username)).toBeNull();
  });

  test("a status ends within 366 days", async () => {
    const cat = await server.user("cat");
    const put = (ms: number) => cat.put("/api/user/cat", { status: { text: "a", expires_at: after(ms) } });
    expectError(await put(366 * DAY + 1_000), 400, "invalid_status");
    expect((await put(366 * DAY)).status).toBe(200);
  });
});
