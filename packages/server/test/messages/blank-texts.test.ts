import { describe, expect, test } from "bun:test";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { stillGif } from "../support/gifs.ts";
import { newChannel } from "../support/new-channel.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { form } from "../support/stickers.ts";

/**
 * A text without a visible character counts as empty: it is refused where a text is required, and dropped where it is
 * optional.
 */

const server = await forAllTests(startTestServer());
const [ann, bob] = [await server.user("ann"), await server.user("bob")];
const boss = await staff(server, "boss", 2);

describe.each(["\u200b", "\u3164 \u2800", "\ufeff\u2060\u202e"])("the blank text %j", (blank) => {
  const said = async (): Promise<{ id: number; messageId: number }> => {
    const { id } = await newChannel(ann);
    const { body } = await ann.post("/api/messages", { channel_id: id, content: "rude" });
    return { id, messageId: body.message_id };
  };

  test("is refused as the reason of a report and dropped as its note", async () => {
    const { messageId } = await said();
    const report = (reason: string) => bob.post(`/api/messages/${messageId}/report`, { reason });
    expectError(await report(blank), 400, "invalid_request");
    const { report_id } = (await report("spam")).body;
    const closed = await boss.put(`/api/admin/reports/${report_id}`, { status: "dismissed", note: blank });
    expect([closed.status, closed.body.report.note]).toEqual([200, null]);
  });

  test("is dropped as the reason of a ban", async () => {
    const { id } = await said();
    const banned = await ann.post(`/api/channels/${id}/bans`, { username: "bob", reason: blank });
    expect([banned.status, banned.body.ban.reason]).toEqual([201, null]);
  });

  test("is refused as a channel's name, and dropped as its topic and description", async () => {
    expectError(await ann.post("/api/channels", { name: blank }), 400, "invalid_channel_name");
    const { id } = await newChannel(ann, { topic: blank, description: "tea" });
    await ann.put(`/api/channels/${id}`, { description: blank });
    expect((await ann.get(`/api/channels/${id}`)).body.channel).toMatchObject({ topic: null, description: null });
  });

  test("is dropped as a sticker's name", async () => {
    const upload = (name: string | undefined, fileName: string) =>
      ann.post("/api/stickers/upload", undefined, { raw: form(stillGif(), { ...(name && { name }), fileName }) });
    for (const [name, fileName, kept] of [
      [blank, "wave.gif", "wave"],
      [undefined, `${blank}.gif`, "sticker"],
    ] as const) {
      const { sticker } = (await upload(name, fileName)).body;
      expect(sticker.sticker_name).toBe(kept);
      await ann.delete(`/api/stickers/${sticker.sticker_id}`);
    }
  });

  test("is dropped as a red packet's greeting", async () => {
    const { id } = await newChannel(ann);
    const made = await ann.post("/api/red-packets", {
      ...{ channel_id: id, total_amount: "5", count: 1, greeting: blank },
    });
    expect([made.status, made.body.red_packet?.greeting]).toEqual([201, ""]);
  });

  test("is refused as a search", async () => {
    expectError(await ann.get(`/api/search/messages?q=${encodeURIComponent(blank)}`), 400, "query_required");
  });

  test("is refused as a message and as an edit", async () => {
    const { id, messageId } = await said();
    expectError(await ann.post("/api/messages", { channel_id: id, content: blank }), 400, "content_required");
    expectError(await ann.put(`/api/messages/${messageId}`, { content: blank }), 400, "content_required");
  });
});
