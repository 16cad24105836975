import { expect, test } from "bun:test";
import { RATES } from "@parley/protocol/limits";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const profilesOf = async (names: string) =>
    (await server.guest.get(`/api/profiles?usernames=${names}`)).body.profiles;
  const call = (who: Client, name: string, display_name: string | null) =>
    who.put(`/api/user/${name}`, { display_name });

  test("a person whose name is refused as a username has it as display name, and everybody reads it with the username", async () => {
    const register = { username: "李雷", password: PASSWORD };
    expectError(await server.guest.post("/api/auth/register", register), 400, "invalid_username");
    const lilei = await server.user("lilei");
    const { status, body } = await call(lilei, "lilei", "  李雷 ");
    expect([status, body.user.display_name]).toEqual([200, "李雷"]);
    const agent = await server.agent();
    for (const reader of [server.guest, agent, lilei]) {
      expect((await reader.get("/api/user/LiLei")).body).toMatchObject({ username: "lilei", display_name: "李雷" });
    }
    const han = await server.user("hanmeimei");
    expect(await profilesOf("LILEI,hanmeimei,nobody")).toEqual([
      { username: "lilei", display_name: "李雷", status: null },
    ]);
    // What is written keeps the username, and so does a mention.
    const sent = await han.post("/api/messages", { channel_slug: "general", content: "@lilei and @李雷" });
    const { messages } = (await lilei.get("/api/messages?channel_slug=general&limit=1")).body;
    expect(messages[0]).toMatchObject({ id: sent.body.message_id, username: "hanmeimei" });
    expect(messages[0].mentions.map(({ name }: { name: string }) => name)).toEqual(["lilei"]);
    const copy = (await lilei.get("/api/user/lilei/export")).body;
    expect(copy.user).toMatchObject({ username: "lilei", display_name: "李雷" });
    await call(lilei, "lilei", null);
    expect(await profilesOf("lilei")).toEqual([]);
  });

  test("a mention that was written stays a mention when the display name changes", async () => {
    const [mia, otto] = [await server.user("mia"), await server.user("otto")];
    await call(mia, "mia", "Mia Wallner");
    using socket = await TestSocket.open(server.url, mia.credential);
    const { message_id } = (await otto.post("/api/messages", { channel_slug: "general", content: "@mia hello" })).body;
    await call(mia, "mia", "Maria Wallner");
    const frame = await socket.next((frame) => frame.event === "mention:new");
    expect(frame.data.chat_message).toMatchObject({ id: message_id, mentions: [{ name: "mia", length: 4 }] });
  });

  test.each([
    ["the username of another", "Adele"],
    ["a look-alike of it", "АDELЕ"],
    ["a look-alike of it in Latin letters", "adeIe"],
    ["its letters with signs between them", "a·d·e·l·e"],
    ["the name of an agent", "Oracle"],
    ["a reserved name", "Admin"],
    ["a look-alike of a reserved name", "Adm1n"],
    ["a reserved name in full-width letters", "ｓｙｓｔｅｍ"],
    ["marks of direction", "eve\u202enimda"],
    ["invisible characters", "e\u200bve"],
    ["only emoji", "🌴🌴"],
    ["only spaces", "   "],
    ["a line break", "eve\nadmin"],
    ["a flood of marks", `e${"\u0301\u0300".repeat(20)}ve`],
    ["too many characters", "x".repeat(49)],
    ["a text that grows when it is normalised", "\ufdfa".repeat(48)],
    ["far too many characters", "x".repeat(100_000)],
  ])("%s is refused as a display name, and details say why", async (_, name) => {
    if ((await server.guest.get("/api/user/adele")).status === 404) {
      await server.user("adele");
      await server.agent("Oracle");
    }
    const eve = await server.newUser();
    const answer = await call(eve, eve.username, name);
    expectError(answer, 400, "invalid_display_name");
    expect(answer.body.details[0]).toMatchObject({ path: "display_name", message: expect.any(String) });
    expect(await profilesOf(eve.username)).toEqual([]);
  });

  test("10 MB are refused before they are read, and other types are invalid", async () => {
    const kim = await server.newUser();
    expectError(await call(kim, kim.username, "x".repeat(10_000_000)), 413, "body_too_large");
    for (const display_name of [7, ["a"], {}]) {
      expectError(await kim.put(`/api/user/${kim.username}`, { display_name }), 400, "invalid_display_name");
    }
  });

  test("a user's own username in any spelling is a display name; two users may have the same one, which reserves nothing", async () => {
    const [nina, rosa] = [await server.user("nina-k"), await server.user("rosa.k")];
    expect((await call(nina, "nina-k", "Nina-K")).status).toBe(200);
    for (const [who, name] of [
      [nina, "nina-k"],
      [rosa, "rosa.k"],
    ] as const) {
      expect((await call(who, name, "Katya Petrova")).status).toBe(200);
    }
    expect((await profilesOf("nina-k,rosa.k")).map((each: { display_name: string }) => each.display_name)).toEqual([
      "Katya Petrova",
      "Katya Petrova",
    ]);
    await server.user("katya_petrova");
    expectError(await call(nina, "nina-k", "Katya Petrova"), 400, "invalid_display_name");
  });

  test("users are found by the beginning of a username, and of each word of a display name", async () => {
    const [seeker, one, two] = [await server.user("seeker"), await server.user("zz-one"), await server.user("zz-two")];
    await call(one, "zz-one", "韩梅梅");
    await call(two, "zz-two", "Zoë Zzimmermann");
    const find = async (prefix: string) =>
      (await seeker.get(`/api/users?prefix=${encodeURIComponent(prefix)}`)).body.users.map(
        ({ username, display_name }: Record<string, string>) => `${username} ${display_name}`,
      );
    expect(await find("韩梅")).toEqual(["zz-one 韩梅梅"]);
    expect(await find("zoe")).toEqual(["zz-two Zoë Zzimmermann"]);
    expect(await find("ZZ")).toEqual(["zz-one 韩梅梅", "zz-two Zoë Zzimmermann"]);
    expect(await find("\u0301")).toEqual([]);
    const boss = await staff(server, "boss-of-all", 2);
    const listed = (await boss.get(`/api/admin/users?prefix=${encodeURIComponent("韩梅")}`)).body.users;
    expect(listed.map(({ username }: { username: string }) => username)).toEqual(["zz-one"]);
    await call(one, "zz-one", "Han Meimei");
    expect(await find("韩梅")).toEqual([]);
    expect((await two.send("DELETE", "/api/user/zz-two", { body: { password: PASSWORD } })).status).toBe(200);
    expect(await find("zoe")).toEqual([]);
  });

  test("a change is announced to the user's channels and sockets, and so is its end with the account", async () => {
    const [cat, dan] = [await server.user("cat"), await server.user("dan")];
    await cat.post("/api/channels/1/leave");
    const { body } = await dan.post("/api/channels", { name: "Gallery" });
    await cat.post(`/api/channels/${body.channel_id}/join`);
    using there = await TestSocket.open(server.url);
    using elsewhere = await TestSocket.open(server.url, dan.credential);
    using own = await TestSocket.open(server.url, cat.credential);
    await there.command("channel:join", { channel_id: body.channel_id });
    await elsewhere.command("channel:join", { channel_slug: "general" });
    await cat.put("/api/user/cat", { email: "cat@example.org" });
    await cat.put("/api/user/cat", { display_name: "Катя", status: { text: "Here" } });
    const isProfile = (frame: { event?: string }) => frame.event === "user:profile";
    const data = { username: "cat", display_name: "Катя", status: { emoji: null, text: "Here", expires_at: null } };
    expect((await there.next(isProfile)).data).toEqual(data);
    expect((await own.next(isProfile)).data).toEqual(data);
    expect((await cat.send("DELETE", "/api/user/cat", { body: { password: PASSWORD } })).status).toBe(200);
    const gone = await there.next((frame) => isProfile(frame) && frame.data.display_name === null);
    expect(gone.data).toEqual({ username: "cat", display_name: null, status: null });
    await elsewhere.command("ping");
    expect(elsewhere.frames.filter(isProfile)).toEqual([]);
    expect(await profilesOf("cat")).toEqual([]);
  });

  test("moderators remove the names of users below them, and nothing else; what others do is audited", async () => {
    const moderator = await staff(server, "mod-mona", 1);
    const other = await staff(server, "mod-mike", 1);
    const admin = await staff(server, "adm-ada", 2);
    const rude = await server.user("rude");
    await rude.put("/api/user/rude", { display_name: "Rude Word", status: { text: "rude words" } });
    await other.put("/api/user/mod-mike", { display_name: "Mike" });
    const before = (await auditLines(server)).length;
    const clear = (who: Client, name: string) => who.delete(`/api/user/${name}/display-name`);
    expectError(await moderator.put("/api/user/rude", { display_name: null }), 403, "forbidden");
    expectError(await clear(moderator, "mod-mike"), 403, "forbidden");
    expectError(await clear(rude, "mod-mike"), 403, "forbidden");
    expectError(await clear(moderator, "nobody-there"), 404, "user_not_found");
    const { status, body } = await clear(moderator, "rude");
    expect([status, body]).toEqual([200, { success: true, message: expect.any(String) }]);
    expect((await clear(rude, "rude")).status).toBe(200);
    expect((await admin.put("/api/user/mod-mike", { display_name: "Mike Moll" })).status).toBe(200);
    expect(await profilesOf("rude,mod-mike")).toMatchObject([{ username: "mod-mike", display_name: "Mike Moll" }]);
    const lines = (await auditLines(server)).slice(before).map((line) => line.replace(/:\d+$/, ""));
    expect(lines).toEqual(["mod-mona user_profile_clear user", "adm-ada user_update user"]);
  });

  test.each(["", "?usernames=", "?usernames=a,,b", `?usernames=${Array.from({ length: 101 }, () => "ann").join(",")}`])(
    "%j is refused as the query of GET /api/profiles",
    async (query) => {
      expectError(await server.guest.get(`/api/profiles${query}`), 400, "invalid_request");
    },
  );
});

test("guests who cannot read do not see profiles, and changes have a rate of their own", async () => {
  await using server = await startTestServer({ guestRead: false, rateFactor: 1 }, { clock: stillClock() });
  expectError(await server.guest.get("/api/profiles?usernames=ann"), 401, "session_required");
  const ann = await server.user("ann");
  expect((await ann.get("/api/profiles?usernames=ann")).body.profiles).toEqual([]);
  for (let n = 0; n < RATES.profileChange.quota; n += 1) {
    expect((await ann.put("/api/user/ann", { display_name: `Ann ${n}` })).status).toBe(200);
  }
  expectError(await ann.put("/api/user/ann", { status: null }), 429, "rate_limited");
  expect((await ann.put("/api/user/ann", { email: null })).status).toBe(200);
});
