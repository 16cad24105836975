import { describe, expect, test } from "bun:test";
import { CHANNELS_PER_USER } from "@parley/protocol/limits";
import { publishControl } from "../../src/realtime/control/control.ts";
import { expectError } from "../support/expect-error.ts";
import { newChannel, realtimeBench } from "../support/servers/realtime.ts";
import type { Client, Named } from "../support/servers/test-server.ts";

/** Handing a channel over (protocol §3: `owner_username`), over real HTTP. */
const { server } = await realtimeBench();

const [ann, bob] = [await server.newUser(), await server.newUser()];

const give = (who: Client, id: number, username: string) =>
  who.put(`/api/channels/${id}`, { owner_username: username });

async function userWith(change: { admin_level?: number; suspended_until?: number }): Promise<Named> {
  const user = await server.newUser();
  const { ctx } = server;
  const { id } = await ctx.db
    .updateTable("users")
    .set(change)
    .where("username", "=", user.username)
    .returning("id")
    .executeTakeFirstOrThrow();
  publishControl(ctx, "user_changed", id);
  return user;
}

async function rolesIn(who: Client, id: number): Promise<Record<string, string>> {
  const { members } = (await who.get(`/api/channels/${id}/members`)).body;
  return Object.fromEntries(members.map(({ name, role }: { name: string; role: string }) => [name, role]));
}

describe("handing a channel over", () => {
  test("makes an outsider its owner and notifies them, and makes the former owner an admin", async () => {
    const { id } = await newChannel(ann, { is_private: true });
    const { status, body } = await give(ann, id, bob.username);
    expect(status).toBe(200);
    expect(body.channel).toMatchObject({ owner_username: bob.username, my_role: "admin", member_count: 2 });
    expect(await rolesIn(bob, id)).toEqual({ [ann.username]: "admin", [bob.username]: "owner" });
    expect((await ann.post(`/api/channels/${id}/leave`)).status).toBe(200);
    expectError(await bob.post(`/api/channels/${id}/leave`), 409, "owner_cannot_leave");
    expect((await bob.delete(`/api/channels/${id}`)).status).toBe(200);
  });

  test("unmutes the new owner, and changes nothing if they are the owner already", async () => {
    const { id } = await newChannel(ann);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await ann.put(`/api/channels/${id}/members/${bob.username}`, { role: "member", muted_until: until });
    expect((await give(ann, id, ann.username)).status).toBe(200);
    expect(await rolesIn(ann, id)).toEqual({ [ann.username]: "owner", [bob.username]: "member" });
    expect((await give(ann, id, bob.username)).status).toBe(200);
    expect((await bob.post("/api/messages", { channel_id: id, content: "mine" })).status).toBe(201);
  });

  test("is allowed to the owner and to administrators, whose act is audited with the new owner's name", async () => {
    const { id } = await newChannel(ann);
    const [root, mod, admin] = [
      await userWith({ admin_level: 2 }),
      await userWith({ admin_level: 1 }),
      await server.newUser(),
    ];
    await ann.put(`/api/channels/${id}/members/${admin.username}`, { role: "admin" });
    for (const other of [bob, admin, mod]) expectError(await give(other, id, bob.username), 403, "forbidden");
    expectError(await give(server.guest, id, bob.username), 401, "session_required");
    expectError(await give(await server.agent(), id, bob.username), 401, "session_required");
    expect((await give(root, id, bob.username.toUpperCase())).status).toBe(200);
    const lines = await server.ctx.db
      .selectFrom("audit_log")
      .select(["actor", "action", "details"])
      .where("subject", "=", `channel:${id}`)
      .execute();
    expect(lines.map(({ details, ...line }) => ({ ...line, details: JSON.parse(details ?? "null") }))).toEqual([
      {
        actor: root.username,
        action: "channel_update",
        details: { fields: ["owner_username"], owner_username: bob.username },
      },
    ]);
  });

  test("is possible only to users who are not suspended or banned and who own fewer channels than the limit", async () => {
    const { id } = await newChannel(ann);
    await server.agent("Heir");
    expectError(await give(ann, id, "Heir"), 404, "user_not_found");
    expectError(await give(ann, id, "PlatformAgent"), 404, "user_not_found");
    expectError(await give(ann, id, "nobody-here"), 404, "user_not_found");
    const away = await userWith({ suspended_until: Date.now() + 60_000 });
    expectError(await give(ann, id, away.username), 409, "user_suspended");
    const back = await userWith({ suspended_until: Date.now() - 60_000 });
    const banned = await server.newUser();
    expect((await ann.post(`/api/channels/${id}/bans`, { username: banned.username })).status).toBe(201);
    expectError(await give(ann, id, banned.username), 409, "member_banned");
    const rich = await server.newUser();
    for (let n = 0; n < CHANNELS_PER_USER; n++) await newChannel(rich);
    expectError(await give(ann, id, rich.username), 409, "channel_limit_reached");
    expect(await rolesIn(ann, id)).toEqual({ [ann.username]: "owner" });
    expect((await ann.get(`/api/channels/${id}`)).body.channel.last_seq).toBe(0);
    expect((await give(ann, id, back.username)).status).toBe(200);
  });

  test("leaves exactly one owner under concurrent changes", async () => {
    const cid = await server.newUser();
    for (let round = 0; round < 5; round++) {
      const { id } = await newChannel(ann);
      await bob.post(`/api/channels/${id}/join`);
      const answers = await Promise.all([
        give(ann, id, bob.username),
        give(ann, id, cid.username),
        bob.post(`/api/channels/${id}/leave`),
        ann.delete(`/api/channels/${id}/members/${bob.username}`),
        ann.put(`/api/channels/${id}/members/${bob.username}`, { role: "member" }),
      ]);
      for (const { status } of answers) expect(status).toBeLessThan(500);
      expect(answers.slice(0, 2).filter(({ status }) => status === 200)).toHaveLength(1);
      const { owner_username } = (await ann.get(`/api/channels/${id}`)).body.channel;
      const owners = Object.entries(await rolesIn(ann, id)).filter(([, role]) => role === "owner");
      expect(owners).toEqual([[owner_username, "owner"]]);
      const owner = [ann, bob, cid].find(({ username: name }) => name === owner_username);
      expect((await owner?.delete(`/api/channels/${id}`))?.status).toBe(200);
    }
  });
});
