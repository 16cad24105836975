import { expect, test } from "bun:test";
import { webmOf } from "../../../server/test/support/files/sounds.ts";
import { stillGif } from "../../../server/test/support/gifs.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { ParleyClient } from "../../src/client.ts";
import type { RecordedCalls } from "./recorded-calls.ts";

/** Tests of the calls of threads. */
function threadCalls(calls: RecordedCalls): void {
  test("calls for threads return what the server stored", async () => {
    const [ana, ben] = [await calls.person("ana"), await calls.person("ben")];
    const { channel_id } = await ana.channels.create({ name: "Threads" });
    const { message_id } = await ana.messages.send({ channel_id, content: "a question" });
    const sent = await ben.messages.send({ channel_id, content: "an answer", thread_root_id: message_id });
    const { messages, root } = await ben.messages.thread(message_id, { after_seq: 0 });
    expect([messages.map(({ id }) => id), root.thread?.reply_count]).toEqual([[message_id, sent.message_id], 1]);
    const items: number[] = [];
    for await (const { id } of ben.messages.thread(message_id, { limit: 1 })) items.push(id);
    expect(items).toEqual([sent.message_id, message_id]);
    const { threads } = await ana.messages.threads({ unread: true });
    expect(threads).toMatchObject([{ unread_count: 1, last_reply: { id: sent.message_id } }]);
    expect(await ana.messages.readThread(message_id)).toMatchObject({ unread_count: 0 });
    expect(await ana.messages.markThreadUnread(message_id, sent.seq)).toMatchObject({
      unread_from_seq: sent.seq,
      unread_count: 1,
    });
    await ana.channels.markRead(channel_id);
    expect(await ana.channels.markUnread(channel_id, sent.seq)).toMatchObject({
      last_read_seq: sent.seq,
      unread_from_seq: sent.seq,
    });
    expect(await ana.notifications.markAllRead()).toMatchObject({ channels: 1, threads: 1 });
    expect((await ana.channels.get(channel_id)).channel).toMatchObject({ unread_from_seq: null, unread_count: 0 });
    expect(await ana.messages.unfollowThread(message_id)).toMatchObject({ following: false });
    expect(await ana.messages.followThread(message_id)).toMatchObject({ following: true });
    const { chat_message } = await ana.messages.updateThread(message_id, { is_locked: true });
    expect(chat_message.thread?.is_locked).toBe(true);
  });
}

/** Tests of the calls of files. */
function fileCalls(calls: RecordedCalls): void {
  test("calls for files return what the server stored", async () => {
    const ana = await calls.person("ana");
    const { channel_id } = await ana.channels.create({ name: "Files" });
    const bytes = new TextEncoder().encode("day,orders\n1,40\n");
    const { file } = await ana.files.upload(bytes, { name: "orders.csv", altText: "Orders a day" });
    expect(file).toMatchObject({ name: "orders.csv", size_bytes: bytes.length, alt_text: "Orders a day" });
    expect((await ana.files.record(file.file_id)).file).toEqual(file);
    expect((await ana.files.describe(file.file_id, "Orders")).file.alt_text).toBe("Orders");
    expect(await ana.files.read(file.file_id, 1_000)).toEqual(bytes);
    const { chat_message } = await ana.messages.send({ channel_id, file_ids: [file.file_id] });
    expect(chat_message.files).toMatchObject([{ file_id: file.file_id, name: "orders.csv" }]);
    expect((await ana.files.download(file.file_id)).bytes).toEqual(bytes);
    await expect(ana.files.preview(file.file_id)).rejects.toMatchObject({ code: "file_not_found" });
    const { files } = await ana.files.ofChannel(channel_id, { kind: "text" });
    expect(files).toMatchObject([{ file_id: file.file_id, message_id: chat_message.id }]);
    const unsent = await ana.files.upload(bytes, { name: "unsent.csv" });
    expect((await ana.files.remove(unsent.file.file_id)).file_id).toBe(unsent.file.file_id);
  });
}

/** Tests of the calls of notifications. */
function notificationCalls(calls: RecordedCalls): void {
  test("calls for notifications return what the server stored", async () => {
    const [ana, ben] = [await calls.person("ana"), await calls.person("ben")];
    const { channel_id } = await ana.channels.create({ name: "News" });
    await ben.channels.join(channel_id);
    await ana.messages.send({ channel_id, content: "@ben look" });
    const [first] = await eventually("the mention is listed", async () => {
      const { notifications } = await ben.notifications.list({ unread: true });
      return notifications.length > 0 ? notifications : null;
    });
    expect(first).toMatchObject({ kind: "mention", channel_id, from: { kind: "user", name: "ana" } });
    expect(await ben.notifications.markRead({ ids: [first?.notification_id ?? 0] })).toMatchObject({ unread: 0 });

    const { public_key } = await ben.notifications.pushKey();
    expect(Buffer.from(public_key, "base64url").length).toBe(65);
    const keys = { p256dh: public_key, auth: Buffer.alloc(16, 1).toString("base64url") };
    await expect(ben.notifications.subscribe({ endpoint: "https://127.0.0.1/push", keys })).rejects.toMatchObject({
      status: 400,
    });
    expect((await ben.notifications.subscriptions()).subscriptions).toEqual([]);
    await expect(ben.notifications.unsubscribe(1)).rejects.toMatchObject({ status: 404 });
  });
}

/** Tests of the calls of cards. */
function cardCalls(calls: RecordedCalls): void {
  test("calls for cards return what the server stored", async () => {
    const ana = await calls.person("ana");
    const { apiKey } = await calls.server.agent("Scout");
    const agent = new ParleyClient({ url: calls.server.url, apiKey });
    const ask = async () => {
      const { message_id } = await agent.agent.send({
        channel_slug: "general",
        message: "Which?",
        components: [{ type: "row", elements: [{ type: "button", action_id: "red", label: "Red" }] }],
        interaction: { kind: "choice", who: { users: ["ana"] } },
      });
      return message_id;
    };
    const id = await ask();
    expect((await ana.interactions.get(id)).interaction.status).toBe("open");
    const { interaction } = await ana.interactions.press(id, { action_id: "red" });
    expect(interaction.result).toMatchObject({ action_id: "red", username: "ana" });
    const { receipt } = await agent.interactions.get(id, { wait: 1 });
    const { keys } = await ana.interactions.keys();
    expect(keys.map(({ key_id }) => key_id)).toEqual([receipt?.key_id ?? ""]);
    expect((await agent.interactions.cancel(await ask())).interaction.status).toBe("cancelled");
  });
}

/** Tests of the calls of scheduled messages, of users and of agents. */
function scheduledCalls(calls: RecordedCalls): void {
  test("calls for scheduled messages return what the server stored", async () => {
    const ana = await calls.person("ana");
    const { apiKey } = await calls.server.agent("Scout");
    const { agent } = new ParleyClient({ url: calls.server.url, apiKey });
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const message = { channel_slug: "general", content: "later", send_at };
    for (const resource of [ana.scheduled, agent.scheduled]) {
      const { scheduled } = await resource.create(message);
      expect(scheduled).toMatchObject({ content: "later", status: "waiting" });
      const id = scheduled.scheduled_id;
      expect((await resource.change(id, { content: "changed" })).scheduled.content).toBe("changed");
      for await (const listed of resource.list()) expect(listed.scheduled_id).toBe(id);
      expect((await resource.cancel(id)).scheduled.status).toBe("cancelled");
    }
  });
}

/** Tests of the calls of saved messages. */
function savedCalls(calls: RecordedCalls): void {
  test("calls for saved messages return what the server stored", async () => {
    const ana = await calls.person("ana");
    const { message_id: id } = await ana.messages.send({ channel_slug: "general", content: "keep this" });
    const { saved_at } = await ana.saved.add(id);
    expect((await ana.saved.ids()).message_ids).toEqual([id]);
    for await (const saved of ana.saved.list())
      expect(saved).toMatchObject({ message_id: id, saved_at, chat_message: { content: "keep this" } });
    expect((await ana.saved.remove(id)).saved_at).toBeNull();
    expect((await ana.saved.list()).saved).toEqual([]);
  });
}

/** Tests of the calls of forwarded messages. */
function forwardCalls(calls: RecordedCalls): void {
  test("calls for forwarded messages return what the server stored", async () => {
    const ana = await calls.person("ana");
    const { message_id: id } = await ana.messages.send({ channel_slug: "general", content: "read this" });
    const { channel_id } = await ana.channels.create({ name: "Tea" });
    const { message_id, chat_message } = await ana.forwards.create(id, { channel_id, comment: "Look" });
    expect(chat_message.forwarded).toMatchObject({ is_copy: true, content: "read this", username: "ana" });
    expect((await ana.forwards.sources([message_id, id])).sources).toMatchObject([
      { message_id, chat_message: { id, content: "read this" } },
    ]);
  });
}

/** Tests of the calls of polls, of users and of agents. */
function pollCalls(calls: RecordedCalls): void {
  test("calls for polls return what the server stored", async () => {
    const ana = await calls.person("ana");
    const { apiKey } = await calls.server.agent("Scout");
    const { agent } = new ParleyClient({ url: calls.server.url, apiKey });
    const body = { channel_slug: "general", question: "Tea?", options: ["Yes", "No"] };
    for (const resource of [ana.polls, agent.polls]) {
      const { poll } = await resource.create(body);
      expect(poll).toMatchObject({ question: "Tea?", status: "open", total_voters: 0 });
      expect((await ana.polls.vote(poll.poll_id, [2])).poll).toMatchObject({ total_voters: 1, my_votes: [2] });
      expect((await resource.close(poll.poll_id)).poll.status).toBe("closed");
    }
  });
}

/** Tests of the calls of previews. The server's own tests have messages with some. */
function previewCalls(calls: RecordedCalls): void {
  test("calls for previews of links reach the server", async () => {
    const ana = await calls.person("ana");
    const content = "https://example.org";
    const { message_id } = await ana.messages.send({ channel_slug: "general", content, link_previews: false });
    const gone = { code: "preview_not_found", status: 404 };
    await expect(ana.previews.remove(message_id, 0, { url: content })).rejects.toMatchObject(gone);
    const picture = ana.previews.picture(`/api/preview-pictures/${"0".repeat(32)}`);
    await expect(picture).rejects.toMatchObject(gone);
  });
}

/** Tests of the calls of emoji. */
function emojiCalls(calls: RecordedCalls): void {
  test("calls for emoji return what the server stored", async () => {
    const ana = await calls.person("ana");
    const { emoji } = await ana.emoji.add("my_dot", stillGif(2, 2));
    expect(emoji).toMatchObject({ name: "my_dot", mime_type: "image/gif", username: "ana" });
    expect((await ana.emoji.list()).emoji).toEqual([emoji]);
    for (const of of [emoji, "my_dot"]) expect((await ana.emoji.picture(of)).type).toBe("image/gif");
    expect((await ana.emoji.remove("my_dot")).name).toBe("my_dot");
    await expect(ana.emoji.remove("my_dot")).rejects.toMatchObject({ code: "emoji_not_found", status: 404 });
  });
}

/** Tests of the calls of reminders. */
function reminderCalls(calls: RecordedCalls): void {
  test("calls for reminders return what the server stored", async () => {
    const ana = await calls.person("ana");
    const { message_id } = await ana.messages.send({ channel_slug: "general", content: "hello" });
    const remind_at = new Date(Date.now() + 3_600_000).toISOString();
    const { reminder } = await ana.reminders.create({ message_id, remind_at });
    expect(reminder).toMatchObject({ message_id, status: "waiting", text: "hello", note: null });
    const id = reminder.reminder_id;
    expect((await ana.reminders.change(id, { note: "changed" })).reminder.note).toBe("changed");
    for await (const listed of ana.reminders.list()) expect(listed.reminder_id).toBe(id);
    expect((await ana.reminders.remove(id)).reminder.status).toBe("cancelled");
  });
}

/** Tests of the calls of voice notes. */
function voiceNoteCalls(calls: RecordedCalls): void {
  test("calls for voice notes return what the server stored", async () => {
    const ana = await calls.person("ana");
    const { channel_id } = await ana.channels.create({ name: "Voices" });
    const { file } = await ana.voiceNotes.upload(webmOf(2), { duration_ms: 900, waveform: [1] });
    expect(file).toMatchObject({ name: "voice-note", voice: { duration_ms: 900, waveform: [1], transcript: null } });
    await ana.messages.send({ channel_id, file_ids: [file.file_id] });
    const written = await ana.voiceNotes.transcribe(file.file_id, { text: "hello", language: "en" });
    expect(written.file.voice?.transcript).toMatchObject({ text: "hello", language: "en" });
    expect((await ana.voiceNotes.removeTranscript(file.file_id)).file.voice?.transcript).toBeNull();
  });
}

/** Tests of the calls of what is in channels. */
export const roomCalls = [
  cardCalls,
  emojiCalls,
  threadCalls,
  fileCalls,
  forwardCalls,
  notificationCalls,
  pollCalls,
  previewCalls,
  reminderCalls,
  savedCalls,
  scheduledCalls,
  voiceNoteCalls,
];
