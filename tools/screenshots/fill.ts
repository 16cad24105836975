import { join } from "node:path";
import { asked } from "../../packages/server/test/support/cards.ts";
import { Client, type Named, type TestServer } from "../../packages/server/test/support/servers/test-server.ts";
import { fillDaily } from "./fill-daily.ts";
import { fillImport } from "./fill-import.ts";
import { fillMattermost } from "./fill-mattermost.ts";

const CODE = `The export failed on **one** record:

\`\`\`ts
const locale = record.locale ?? "en";
if (!LOCALES.has(locale)) reject(record, "unknown locale");
\`\`\`

| Day | Records | Rejected |
|---|---|---|
| Friday | 18,204 | 0 |
| Saturday | 18,311 | 1 |`;

/** Fills a server with channels, an agent, files, a thread, a card, a red packet and what is reported. */
export async function fill(server: TestServer, rosa: Named): Promise<void> {
  const [ben, mira] = [await server.user("ben"), await server.user("mira")];
  let design = 0;
  for (const name of ["Releases", "Design", "Kitchen"]) {
    const { body } = await rosa.post("/api/channels", { name });
    await ben.post(`/api/channels/${body.channel_id}/join`);
    if (name === "Design") design = body.channel_id;
  }
  await rosa.post("/api/direct", { username: "mira" });
  const { body } = await rosa.post("/api/agents", { agent_name: "Scout", owner_username: "ben" });
  const scout = new Client(server.url, { authorization: `Bearer ${body.api_key}` });
  await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
  await rosa.post("/api/messages", { channel_slug: "general", content: "@Scout did the export run?" });
  await scout.post("/api/agenthub/send", { channel_slug: "general", agent_name: "Scout", message: CODE });
  const answer = { channel_slug: "general", content: "The locale is mine, sorry. Fix is on its way, @rosa." };
  await ben.post("/api/messages", answer);
  const { message_id } = (await ben.post("/api/messages", { channel_slug: "general", content: "Deployed." })).body;
  for (const each of [rosa, mira]) await each.put(`/api/messages/${message_id}/reactions/like`);
  await rosa.post("/api/channels/1/read", {});
  await ben.post("/api/messages", { channel_slug: "kitchen", content: "Soup is ready, @rosa" });
  await fillDesign(server, design, [rosa, ben, mira]);
  await fillKitchen(ben, mira, rosa);
  await fillDaily(server, [rosa, ben, mira]);
  await fillImport(server);
  await fillMattermost(server);
  await asked(scout, { interaction: { who: { users: ["ben", "rosa"] }, quorum: 2 } });
  for (let samples = 0; samples < 60; samples++) server.ctx.metrics.health.sample();
}

/** A message with files, and a thread about it. */
async function fillDesign(server: TestServer, channelId: number, [rosa, ben, mira]: [Client, Client, Client]) {
  await mira.post(`/api/channels/${channelId}/join`);
  const upload = async (name: string, file: Blob, alt: string): Promise<number> => {
    const form = new FormData();
    form.set("file", file, name);
    form.set("alt_text", alt);
    const answer = await fetch(`${server.url}/api/files`, { method: "POST", headers: mira.credential, body: form });
    return ((await answer.json()) as { file: { file_id: number } }).file.file_id;
  };
  const image = (name: string) => Bun.file(join(import.meta.dir, `../../docs/images/${name}.png`));
  const say = async (who: Client, content: string, more = {}): Promise<number> =>
    (await who.post("/api/messages", { channel_id: channelId, content, ...more })).body.message_id;
  const file_ids = [
    await upload("evening.png", image("dark"), "The chat in dark mode, with a search beside it."),
    await upload("pocket.png", image("phone"), "The chat on a phone."),
    await upload(
      "contrast.csv",
      new Blob(["theme,text,background,ratio\nlight,#1c1d26,#ffffff,16.9\ndark,#e9e9f1,#1a1b25,14.2\n"]),
      "",
    ),
  ];
  const root = await say(mira, "Both themes, as they are on Monday. Does the search need its own colour?", {
    file_ids,
  });
  const reply = (who: Client, content: string) => say(who, content, { thread_root_id: root });
  await reply(ben, "Not for me. The **marks** in the text are enough.");
  await reply(mira, "They are hard to see in dark mode. I would try:\n- a warmer yellow\n- no shadow");
  await reply(rosa, "Then the yellow, please. @ben can you change it?");
  await reply(ben, "On Friday.");
}

/** A red packet, a private channel with a password, and a report. */
async function fillKitchen(ben: Client, mira: Client, rosa: Client): Promise<void> {
  const packet = { channel_slug: "kitchen", total_amount: "30", count: 3, greeting: "For the soup" };
  await ben.post("/api/red-packets", packet);
  await mira.post("/api/channels", { name: "Leads", is_private: true, password: "among the leads" });
  const { body } = await mira.post("/api/messages", {
    channel_slug: "general",
    content: "Buy followers at half the price",
  });
  await rosa.post(`/api/messages/${body.message_id}/report`, { reason: "spam" });
  await ben.post("/api/messages", { channel_slug: "general", content: "Deployed." });
}
