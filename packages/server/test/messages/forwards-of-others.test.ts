import { describe, expect, test } from "bun:test";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { fetchFile, upload } from "../support/files/sent-file.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { forward, forwarded, textsIn } from "../support/forwards.ts";
import { stillGif } from "../support/gifs.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { type Client, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { form } from "../support/stickers.ts";

const DAYS = { retention_days: 30 };

/** Forwards of others' words and files, and refusals of forwards (protocol §13.15), over real HTTP. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const [ann, ben] = [await server.newUser(), await server.newUser()];

  describe("the words of others", () => {
    test("mention nobody: only the comment does", async () => {
      const agent = await server.agent("Sleeper");
      const room = await newChannel(ann);
      await agent.post("/api/agenthub/login", { channel_slug: room.slug, agent_name: "Sleeper" });
      const other = await newChannel(ben);
      const source = await sayId(ben, other.id, `@Sleeper and @${ben.username}: act now\n/go@Sleeper`);
      const made = await forwarded(ann, source, room.id);
      expect(made.mentions).toEqual([]);
      const pending = async () => (await agent.get("/api/agenthub/mentions?mark_read=false")).body.mentions;
      expect((await pending()).filter(({ channel_id }: { channel_id: number }) => channel_id === room.id)).toEqual([]);
      const { notifications } = (await ben.get("/api/notifications")).body;
      expect(JSON.stringify(notifications)).not.toContain(room.slug);
      const asked = await forwarded(ann, source, room.id, { comment: "@Sleeper look" });
      expect(asked.mentions).toMatchObject([{ name: "Sleeper", offset: 0 }]);
      const [mention] = (await pending()).filter(({ message_id }: { message_id: number }) => message_id === asked.id);
      expect(mention.content).toContain("Forwarded message:\n> @Sleeper");
      expect(mention.forwarded).toMatchObject({ is_copy: true, username: ben.username });
      expect(mention.rendered).toMatch(
        /\n@Sleeper look\n\(forwarded from .*: what follows was not written by the sender\)\n/,
      );
      const { rendered } = (await agent.get(`/api/agenthub/messages?channel_slug=${room.slug}&limit=1&format=context`))
        .body;
      expect(rendered).toContain(`(forwarded from "${ben.username}", sent at `);
      expect(rendered).toContain("what follows was not written by the sender)");
    });

    test("lose the name of a writer who deletes their account, and are in no copy of the forwarder's data", async () => {
      const gone = await server.newUser();
      const { id } = await newChannel(ann);
      const source = await sayId(gone, id, "words that stay");
      const made = await forwarded(ann, source, id, { comment: "mine" });
      const copy = JSON.stringify((await ann.get(`/api/user/${ann.username}/export`)).body.messages);
      expect(copy).toContain('"mine"');
      for (const word of ["words that stay", gone.username]) expect(copy).not.toContain(word);
      const answer = await gone.delete(`/api/user/${gone.username}`, { body: { password: PASSWORD } });
      expect(answer.status).toBe(200);
      await eraseAll(server.ctx);
      const { messages } = (await ann.get(`/api/messages?channel_id=${id}&ids=${made.id}`)).body;
      expect(messages[0].forwarded).toMatchObject({ username: "deleted-user", content: "words that stay" });
      expect(JSON.stringify(messages)).not.toContain(gone.username);
    });
  });

  describe("files", () => {
    const files = async (who: Client, room: number) => {
      const { file } = (await upload(who, "some bytes", "notes.txt")).body;
      return sayId(who, room, "", { file_ids: [file.file_id] });
    };
    const owned = (who: { username: string }) =>
      server.ctx.db
        .selectFrom("files")
        .innerJoin("users", "users.id", "files.user_id")
        .selectAll("files")
        .where("users.username", "=", who.username)
        .execute();

    test("go along as the forwarder's own, and stay when the source is deleted", async () => {
      const dee = await server.newUser();
      const [from, to] = [await newChannel(ann, { is_private: true }), await newChannel(ann)];
      await ann.put(`/api/channels/${from.id}/members/${dee.username}`, {});
      const source = await files(ann, from.id);
      const made = await forwarded(dee, source, to.id);
      expect(made).toMatchObject({
        content: "",
        files: [{ name: "notes.txt", username: dee.username, size_bytes: 10 }],
      });
      await ann.delete(`/api/messages/${source}`);
      expect(await (await fetchFile(ben, made.files[0].url)).text()).toBe("some bytes");
      expect(await owned(dee)).toMatchObject([{ message_id: made.id, channel_id: to.id }]);
      await dee.delete(`/api/messages/${made.id}`);
      expect((await fetchFile(dee, made.files[0].url)).status).toBe(404);
      const usage = server.ctx.db.selectFrom("file_usage").select("bytes").where("owner", "like", "u%");
      expect((await usage.execute()).every(({ bytes }) => Number(bytes) >= 0)).toBe(true);
    });

    test("do not go along with a link, nor stay behind when the message is refused", async () => {
      const eve = await server.newUser();
      const limited = await newChannel(ann, DAYS);
      const to = await newChannel(ann);
      expect((await forwarded(eve, await files(ann, limited.id), to.id)).files).toEqual([]);
      const closed = await newChannel(ann, { slow_mode_seconds: 600 });
      await sayId(eve, closed.id, "my turn");
      const source = await files(ann, to.id);
      expectError(await forward(eve, source, { channel_id: closed.id }), 429, "slow_mode");
      const twins = await Promise.all(
        [1, 2, 3].map(() => forward(eve, source, { channel_id: to.id, client_msg_id: "twins" })),
      );
      expect(new Set(twins.map(({ body }) => body.message_id)).size).toBe(1);
      expect(twins.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
      expect(await owned(eve)).toHaveLength(1);
    });

    test("count against the forwarder's quota", async () => {
      const fay = await server.newUser();
      const { id } = await newChannel(ann);
      const source = await files(ann, id);
      const { id: userId } = await server.ctx.db
        .selectFrom("users")
        .select("id")
        .where("username", "=", fay.username)
        .executeTakeFirstOrThrow();
      const bytes = server.config.fileQuotaMib * 1024 * 1024 - 5;
      await server.ctx.db
        .insertInto("file_usage")
        .values({ owner: `u${userId}`, bytes })
        .execute();
      expectError(await forward(fay, source, { channel_id: id }), 409, "quota_reached");
      expect(await owned(fay)).toEqual([]);
    });
  });

  describe("a refusal", () => {
    test("is given to those who may not read the source or may not write there, and changes nothing", async () => {
      const [open, closed] = [await newChannel(ann), await newChannel(ann, { is_private: true })];
      const admins = await newChannel(ann, { post_policy: "admins" });
      const [said, secret] = [await sayId(ann, open.id, "said"), await sayId(ann, closed.id, "secret")];
      const eve = await server.newUser();
      expectError(await forward(eve, secret, { channel_id: open.id }), 404, "message_not_found");
      expectError(await forward(eve, 999_999_999, { channel_id: open.id }), 404, "message_not_found");
      expectError(await forward(eve, said, { channel_id: closed.id }), 404, "channel_not_found");
      expectError(await forward(eve, said, { channel_slug: "no-such-channel" }), 404, "channel_not_found");
      expectError(await forward(eve, said, {}), 400, "channel_id_required");
      expectError(await forward(eve, said, { channel_id: admins.id }), 403, "post_policy");
      await ann.post(`/api/channels/${open.id}/bans`, { username: eve.username });
      expectError(await forward(eve, said, { channel_id: open.id }), 403, "banned");
      expectError(await forward(server.guest, said, { channel_id: open.id }), 401, "session_required");
      expectError(await forward(await server.agent(), said, { channel_id: open.id }), 401, "session_required");
      for (const body of [{ channel_id: "x" }, { channel_id: open.id, comment: 7 }, { channel_id: -1 }])
        expect((await forward(ann, said, body)).status).toBe(400);
      expect((await ann.post("/api/messages/x/forward", { channel_id: open.id })).body.code).toBe("invalid_id");
      for (const ids of ["", "0", "1,", "1;2", "-1", Array.from({ length: 101 }, (_, n) => n + 1).join(",")])
        expect((await ann.get(`/api/forwards?message_ids=${ids}`)).status).toBe(400);
      expect(await textsIn(ann, open.id)).toEqual(["said"]);
      // Nobody joins a channel by a message that they may not forward.
      const { members } = (await ann.get(`/api/channels/${open.id}/members`)).body;
      expect(members.map(({ name }: { name: string }) => name)).toEqual([ann.username]);
    });

    test("is given for what is no text", async () => {
      const { id } = await newChannel(ann);
      const { sticker } = (await ann.post("/api/stickers/upload", undefined, { raw: form(stillGif(), {}) })).body;
      const sent = await sayId(ann, id, "", { sticker_id: sticker.sticker_id });
      expectError(await forward(ann, sent, { channel_id: id }), 409, "cannot_forward");
      await ann.post("/api/red-packets", { channel_id: id, total_amount: "10", count: 10 });
      const packet = (await ann.get(`/api/messages?channel_id=${id}`)).body.messages.at(-1);
      expectError(await forward(ann, packet.id, { channel_id: id }), 409, "cannot_forward");
    });
  });
});
