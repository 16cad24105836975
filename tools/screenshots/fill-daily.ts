import { addEmoji } from "../../packages/server/test/support/emoji.ts";
import { webmOf } from "../../packages/server/test/support/files/sounds.ts";
import type { Client, TestServer } from "../../packages/server/test/support/servers/test-server.ts";
import { upload } from "../../packages/server/test/support/voice-notes.ts";

/** A wave as of somebody who speaks, and pauses twice. */
const WAVE = Array.from({ length: 60 }, (_, n) =>
  n % 20 > 16 ? 2 : Math.round(55 + 45 * Math.sin(n * 1.7) * Math.cos(n / 5)),
);

/** A channel with a poll, emoji of the server, a voice note with its words, and a forwarded message. */
export async function fillDaily(server: TestServer, [rosa, ben, mira]: [Client, Client, Client]): Promise<void> {
  const { channel_id } = (await rosa.post("/api/channels", { name: "Plans", topic: "What we do together" })).body;
  for (const each of [ben, mira]) await each.post(`/api/channels/${channel_id}/join`);
  const say = async (who: Client, content: string, more = {}): Promise<number> =>
    (await who.post("/api/messages", { channel_id, content, ...more })).body.message_id;
  const icon = await fetch(`${server.url}/icons/icon-192.png`);
  await addEmoji(rosa, "harbour", new Uint8Array(await icon.arrayBuffer()));
  const poll = { channel_id, question: "When do we go sailing?", options: ["Friday evening", "Saturday", "Next week"] };
  const { poll_id } = (await rosa.post("/api/polls", poll)).body.poll;
  for (const [who, option] of [
    [ben, 1],
    [mira, 2],
    [rosa, 2],
  ] as const)
    await who.put(`/api/polls/${poll_id}/vote`, { option_ids: [option] });
  const { file_id } = (await upload(mira, { duration_ms: 7_400, waveform: WAVE }, webmOf(2))).body.file;
  await say(mira, "", { file_ids: [file_id] });
  const text = "I can bring the boat on Saturday, but I have to be back by six.";
  await mira.put(`/api/files/${file_id}/transcript`, { text, language: "en" });
  const said = await say(ben, "Saturday it is :harbour:");
  for (const each of [rosa, mira]) await each.put(`/api/messages/${said}/reactions/harbour`);
  const { messages } = (await ben.get("/api/messages?channel_slug=general&limit=200")).body;
  const source = messages.find(({ content }: { content: string }) => content.startsWith("The locale is mine"));
  await ben.post(`/api/messages/${source.id}/forward`, { channel_id, comment: "And the export is mended by then." });
}
