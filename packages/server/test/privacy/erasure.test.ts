import { describe, expect, test } from "bun:test";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { Client, cookieOf, eventually, type Named, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

/** DELETE /api/user/:username over real HTTP and sockets: rights, obstacles, immediate effects and later ones. */
let siteOwner: Client;
let names = 0;

const server = await forAllTests(startTestServer());
const moderator = await staff(server, "maud", 1);
const administrator = await staff(server, "ruth", 2);
siteOwner = await staff(server, "olga", 3);

const newUser = async (): Promise<Named> => {
  const username = `Person${++names}`;
  return Object.assign(await server.user(username), { username });
};
const erase = (who: Client, name: string, password: unknown = PASSWORD) =>
  who.delete(`/api/user/${name}`, { body: { password } });

describe("deleting an account", () => {
  test("is allowed to the user", async () => {
    const ann = await newUser();
    const answer = await erase(ann, ann.username.toLowerCase());
    expect(answer.status).toBe(200);
    expect(cookieOf(answer)).toBe("parley_session=");
    expectError(await ann.get("/api/auth/sessions"), 401, "session_required");
  });

  test("is allowed to administrators of a higher level, under audit", async () => {
    const ann = await newUser();
    const { id } = await server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", ann.username)
      .executeTakeFirstOrThrow();
    for (const who of [await newUser(), moderator]) expectError(await erase(who, ann.username), 403, "forbidden");
    expectError(await erase(administrator, "olga"), 403, "forbidden");
    expectError(await erase(moderator, "ruth"), 403, "forbidden");
    expectError(await erase(administrator, ann.username, "wrong password"), 403, "reauth_required");
    const answer = await erase(administrator, ann.username);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
    expect(await auditLines(server)).toContain(`ruth user_delete user:${id}`);
    expectError(await erase(administrator, ann.username), 404, "user_not_found");
    const mod = await staff(server, "mallory", 1);
    expect((await erase(siteOwner, mod.username)).status).toBe(200);
  });

  test("is refused to guests, agents and other users", async () => {
    const agent = await server.agent("Helper");
    expectError(await erase(server.guest, "maud"), 401, "session_required");
    expectError(await erase(agent, "maud"), 401, "session_required");
    expectError(await erase(moderator, "nobody"), 404, "user_not_found");
    expectError(await moderator.delete("/api/user/maud", { raw: "{" }), 400, "invalid_json");
  });

  test("always requires the password, however young the session", async () => {
    const ann = await newUser();
    expectError(await ann.delete(`/api/user/${ann.username}`), 403, "reauth_required");
    for (const password of ["wrong password", "", 7, null]) {
      expectError(await erase(ann, ann.username, password), 403, "reauth_required");
    }
    for (let n = 0; n < 3; n += 1) await erase(ann, ann.username, "wrong password");
    // Guesses count like failed logins, so a stolen session does not help to guess the password.
    expectError(await erase(ann, ann.username), 429, "rate_limited");
  });
});

describe("deleting an account is refused", () => {
  test("while the user owns channels, until they are handed over or deleted", async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    const made = await Promise.all(
      ["one", "two"].map((name) => ann.post("/api/channels", { name: `${name}${names}` })),
    );
    const [one, two] = made.map(({ body }) => body.channel_id);
    const refused = await erase(ann, ann.username);
    expectError(refused, 409, "owns_channels");
    expect(refused.body.details.channels.map(({ channel_id }: { channel_id: number }) => channel_id)).toEqual(
      [one, two].sort((a, b) => a - b),
    );
    expect((await ann.get("/api/auth/sessions")).status).toBe(200);
    await ann.put(`/api/channels/${one}`, { owner_username: bob.username });
    await ann.delete(`/api/channels/${two}`);
    expect((await erase(ann, ann.username)).status).toBe(200);
    await eraseAll(server.ctx);
    // A channel the user deleted can still be restored, and then has no owner.
    const restored = await administrator.post(`/api/admin/channels/${two}/restore`);
    expect(restored.body.channel).toMatchObject({ owner_username: "system", member_count: 0 });
  });

  test("while the user has an open red packet", async () => {
    const ann = await newUser();
    const packet = { channel_slug: "general", total_amount: "10", count: 2 };
    expect((await ann.post("/api/red-packets", packet)).status).toBe(201);
    expectError(await erase(ann, ann.username), 409, "open_red_packets");
  });

  test("if the user is the site's only owner", async () => {
    expectError(await erase(siteOwner, "olga"), 409, "last_owner");
    const second = await staff(server, "otto", 3);
    const [first, other] = await Promise.all([erase(second, "otto"), erase(siteOwner, "olga")]);
    expect([first.status, other.status].sort()).toEqual([200, 409]);
    if (other.status === 200) siteOwner = second;
  });
});

describe("an erasure", () => {
  test("ends sessions and sockets within two seconds, and prevents logging in again", async () => {
    const ann = await newUser();
    const { api_key } = await issueKey(server.ctx, { agentName: `${ann.username} bot`, ownerUsername: ann.username });
    const bot = new Client(server.url, { authorization: `Bearer ${api_key}` });
    await using first = await LiveSocket.open(server.url, ann.credential);
    await using second = await LiveSocket.open(server.url);
    await second.ask("auth:login", { username: ann.username, password: PASSWORD });
    await first.ask("channel:join", { channel_slug: "general" });
    expect((await erase(ann, ann.username)).status).toBe(200);
    for (const socket of [first, second]) expect([4401, 4403]).toContain((await socket.whenClosed(2_000)).code);
    const login = { username: ann.username, password: PASSWORD };
    expectError(await server.guest.post("/api/auth/login", login), 401, "invalid_credentials");
    expectError(await bot.get("/api/agenthub/mentions"), 401, "key_revoked");
    expectError(await server.guest.get(`/api/user/${ann.username}`), 404, "user_not_found");
    expectError(await server.guest.get("/api/user/deleted-user"), 404, "user_not_found");
  });

  test("reserves the name for ever, for users and agents", async () => {
    const ann = await newUser();
    await erase(ann, ann.username);
    const register = (username: string) => server.guest.post("/api/auth/register", { username, password: PASSWORD });
    for (const name of [ann.username, ann.username.toUpperCase()]) {
      expectError(await register(name), 409, "username_taken");
    }
    expectError(await register("Deleted-User"), 400, "invalid_username");
    const agent = await server.agent();
    const send = (agent_name: string) =>
      agent.post("/api/agenthub/send", { channel_slug: "general", message: "hello", agent_name });
    expectError(await send(ann.username), 409, "agent_name_taken");
    expectError(await send("deleted-user"), 400, "invalid_agent_name");
    await eraseAll(server.ctx);
    expectError(await register(ann.username), 409, "username_taken");
  });

  test("removes the name from pages, resumed frames and lists, including those in memory", async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    const { channel_id, channel } = (await bob.post("/api/channels", { name: `Room ${names}` })).body;
    await ann.post("/api/messages", { channel_id, content: "first" });
    await bob.post("/api/messages", { channel_id, content: `and @${ann.username}` });
    await using socket = await LiveSocket.open(server.url, bob.credential);
    const joined = await socket.ask("channel:join", { channel_id });
    const path = `/api/messages?channel_id=${channel_id}`;
    expect((await bob.get(path)).body.messages[0].username).toBe(ann.username);
    await erase(ann, ann.username);
    await eraseAll(server.ctx);
    const senders = async () =>
      (await bob.get(path)).body.messages.map(({ username }: { username: string }) => username);
    expect(await eventually("the page is read anew", async () => (await senders())[0] === "deleted-user")).toBeTrue();
    expect((await bob.get(path)).body.messages[1]).toMatchObject({ mentions: [], content: `and @${ann.username}` });
    const { body: sent } = await bob.post("/api/messages", { channel_id, content: "after" });
    expect((await socket.find(({ data }) => data.seq === sent.seq)).event).toBe("message:new");
    expect(socket.seqs).toEqual([joined.data.last_seq + 1]);
    await using late = await LiveSocket.open(server.url, bob.credential);
    const { data } = await late.ask("channel:join", { channel_id, after_seq: 0, epoch: joined.data.epoch });
    expect(data.recovered).toBeTrue();
    expect(JSON.stringify(data.events)).not.toContain(`"${ann.username}"`);
    const mention = await bob.post("/api/messages", { channel_id, content: `@${ann.username} is gone` });
    expect(mention.body.chat_message.mentions).toEqual([]);
    expect((await bob.get(`/api/channels/${channel.id}/members`)).body.members).toHaveLength(1);
  });

  test("removes reactions, also those in a channel that was deleted", async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    const { channel_id } = (await bob.post("/api/channels", { name: `Room ${names}` })).body;
    const { message_id } = (await bob.post("/api/messages", { channel_id, content: "good news" })).body;
    expect((await ann.put(`/api/messages/${message_id}/reactions/like`)).status).toBe(200);
    expect((await bob.delete(`/api/channels/${channel_id}`)).status).toBe(200);
    await erase(ann, ann.username);
    await eraseAll(server.ctx);
    const left = server.ctx.db.selectFrom("reactions").selectAll().where("message_id", "=", message_id);
    expect(await left.execute()).toEqual([]);
  });

  test("returns the points to the system", async () => {
    const ann = await newUser();
    await erase(ann, ann.username);
    await eraseAll(server.ctx);
    const { id } = await server.ctx.db
      .selectFrom("users")
      .select((eb) => eb.fn.max("id").as("id"))
      .where("erased_at", "is not", null)
      .executeTakeFirstOrThrow();
    const balance = await server.ctx.db
      .selectFrom("ledger_balances")
      .select("balance")
      .where("account", "=", `user:${id}`)
      .execute();
    expect(balance).toEqual([{ balance: "0" }]);
  });
});
