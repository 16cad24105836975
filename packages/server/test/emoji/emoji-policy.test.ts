import { expect, test } from "bun:test";
import type { AgentScope } from "@parley/protocol/key-grants";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { addEmoji } from "../support/emoji.ts";
import { expectError } from "../support/expect-error.ts";
import { stillGif } from "../support/gifs.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** The rights to add emoji, and the traces of those who added them (protocol §13.17). */
eachDatabase((_, open) => {
  const start = async (config: Parameters<typeof startTestServer>[0] = {}) =>
    startTestServer({ rateLimits: "off", ...config }, { database: await open(), clock: datedClock() });

  test("an operator lets only administrators add emoji", async () => {
    await using server = await start({ customEmoji: "administrators" });
    const [ann, moderator] = [await server.user("ann"), await staff(server, "mona", 1)];
    for (const who of [ann, moderator]) {
      const refused = await addEmoji(who, "parrot_x", stillGif());
      expectError(refused, 403, "emoji_not_allowed");
      expect(refused.body.details).toEqual({ who: "administrators" });
    }
    expect((await addEmoji(await staff(server, "olga", 2), "parrot_x", stillGif())).status).toBe(201);
    expect((await ann.get("/api/emoji")).body.emoji).toHaveLength(1);
    expect((await server.guest.get("/api/site")).body.site.custom_emoji).toBe("administrators");
  });

  test("with emoji switched off there are none, and those that were added are kept", async () => {
    const database = await open();
    const clock = datedClock();
    {
      await using before = await startTestServer({ rateLimits: "off" }, { database, clock });
      expect((await addEmoji(await before.user("ann"), "parrot_x", stillGif())).status).toBe(201);
      const config = { ...before.ctx.config, customEmoji: "off" as const };
      Object.assign(before.ctx, { config });
      const root = await staff(before, "olga", 2);
      const refused = await addEmoji(root, "parrot_y", stillGif());
      expectError(refused, 403, "emoji_not_allowed");
      expect(refused.body.details).toEqual({ who: "nobody" });
      expect((await before.guest.get("/api/emoji")).body.emoji).toEqual([]);
      expectError(await before.guest.get("/api/emoji/parrot_x/picture"), 404, "emoji_not_found");
      Object.assign(before.ctx, { config: { ...config, customEmoji: "members" as const } });
      expect((await before.guest.get("/api/emoji")).body.emoji).toHaveLength(1);
    }
  });

  test("where guests may not read, they see neither list nor pictures, and no event", async () => {
    await using server = await start({ guestRead: false });
    const ann = await server.user("ann");
    using guest = await TestSocket.open(server.url);
    using member = await TestSocket.open(server.url, ann.credential);
    const { url } = (await addEmoji(ann, "parrot_x", stillGif())).body.emoji;
    await member.next(({ event }) => event === "emoji:update");
    expect((await guest.command("ping", {})).event).toBe("ack");
    expect(guest.frames.filter(({ event }) => event === "emoji:update")).toEqual([]);
    for (const path of ["/api/emoji", url]) expectError(await server.guest.get(path), 401, "session_required");
    const picture = await fetch(server.url + url, { headers: ann.credential });
    expect(picture.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
  });

  test("an agent whose key may not read sees neither list nor pictures, and no event", async () => {
    await using server = await start();
    const ann = await server.user("ann");
    const keyed = async (scopes: AgentScope[]) => {
      const { api_key } = await issueKey(server.ctx, { ownerUsername: "ann", grant: { scopes } });
      return { authorization: `Bearer ${api_key}` };
    };
    const [readers, writers] = [await keyed(["read"]), await keyed(["send"])];
    using reader = await TestSocket.open(server.url, readers);
    using writer = await TestSocket.open(server.url, writers);
    const { url } = (await addEmoji(ann, "parrot_x", stillGif())).body.emoji;
    await reader.next(({ event }) => event === "emoji:update");
    expect((await writer.command("ping", {})).event).toBe("ack");
    expect(writer.frames.filter(({ event }) => event === "emoji:update")).toEqual([]);
    for (const path of ["/api/emoji", url]) {
      expect((await fetch(server.url + path, { headers: readers })).status).toBe(200);
      expectError(await new Client(server.url, writers).get(path), 403, "insufficient_scope");
    }
  });

  test("a copy of a user's data lists their emoji, and an erasure leaves the emoji without the name", async () => {
    await using server = await start();
    const [ann, ben] = [await server.user("ann"), await server.user("ben")];
    using socket = await TestSocket.open(server.url, ben.credential);
    const { emoji } = (await addEmoji(ann, "parrot_x", stillGif())).body;
    expect((await socket.next(({ event }) => event === "emoji:update")).data).toEqual({ name: "parrot_x", emoji });
    expect((await ann.get("/api/user/ann/export")).body.emoji).toEqual([emoji]);
    expect((await ben.get("/api/user/ben/export")).body.emoji).toEqual([]);
    expect((await ann.delete("/api/user/ann", { body: { password: PASSWORD } })).status).toBe(200);
    await eraseAll(server.ctx);
    const left = { ...emoji, username: null };
    expect((await ben.get("/api/emoji")).body.emoji).toEqual([left]);
    const told = await socket.next(({ event, data }) => event === "emoji:update" && data.emoji.username === null);
    expect(told.data).toEqual({ name: "parrot_x", emoji: left });
    expectError(await ben.delete("/api/emoji/parrot_x"), 403, "forbidden");
  });
});
