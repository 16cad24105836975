import { addEmoji } from "../emoji.ts";
import { upload } from "../files/sent-file.ts";
import { forwarded } from "../forwards.ts";
import { stillGif } from "../gifs.ts";
import { png } from "../pngs.ts";
import { say, sayId } from "../say.ts";
import { type Client, PASSWORD, type TestServer } from "../servers/test-server.ts";
import { newSticker } from "../stickers.ts";

/** Texts whose marks, signs and letters mean something in some form. */
export const HOSTILE = [
  "<!here> & <@U0000> <script>alert(1)</script> &lt;b&gt;",
  "_a_ **b** ~~d~~ `*f*`, and **_both_**",
  "```\n<!here> *a* & b\n  indented :tada:\n```",
  "# A heading\n\n1. one\n2. two\n\n> a quote of **two** words\n\nThe end",
  "\u202bעברית\u202c and العربية, 👩‍👩‍👧‍👦 👍🏽 🇩🇪",
  "See https://example.org/a_b?c=1&d=2*3 and [a label](https://example.org/x_y) or <https://example.org/>.",
  "snake_case 2 * 3 * 4 \\*plain\\* @nobody #general a|b",
  "Line one\nline two\n\nparagraph :party_parrot: 12:30:45",
];

const must = async (answer: Promise<{ status: number; body: unknown }>): Promise<void> => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`refused: ${status} ${JSON.stringify(body)}`);
};

/** The parts of the scene that tests look at. */
export interface Scene {
  readonly ada: Client;
  readonly town: number;
  readonly secret: number;
}

/** Fills a server over its API with everything that an export may have to say. */
export async function fillServer(server: TestServer): Promise<Scene> {
  const [ada, ben, cora] = [await server.user("ada"), await server.user("Ben"), await server.user("cora")];
  const scout = await server.agent("Scout");
  await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).execute();
  await must(ada.put("/api/user/ada", { display_name: "Ada Berg", email: "ada@example.org" }));
  await must(ben.put("/api/user/Ben", { avatar: `data:image/png;base64,${png(8, 8).toString("base64")}` }));
  await must(addEmoji(ada, "party_parrot", png(16, 16)));
  const town = (await ada.post("/api/channels", { name: "town", topic: "Fish & <chips>" })).body.channel_id as number;
  const secret = (await ada.post("/api/channels", { name: "secret", is_private: true, password: PASSWORD })).body
    .channel_id as number;
  await must(ben.post(`/api/channels/${secret}/join`, { password: PASSWORD }));

  for (const text of HOSTILE) await say(ada, town, text);
  const question = await sayId(ben, town, "A question for @ada and @Scout");
  await say(ada, town, "An answer", { thread_root_id: question });
  await say(cora, town, "Everybody should see this", { thread_root_id: question, also_in_channel: true });
  await must(
    scout.post("/api/agenthub/send", {
      channel_slug: "town",
      message: "I **know**: `x`",
      thread_root_id: question,
      agent_name: "Scout",
    }),
  );
  await must(
    scout.post("/api/agenthub/send", { channel_slug: "town", message: "Good day, @ada", agent_name: "Scout" }),
  );
  for (const [who, reaction] of [
    [ada, "👍🏽"],
    [ben, "👍🏽"],
    [cora, "party_parrot"],
    [cora, "❤️"],
  ] as const)
    await must(who.put(`/api/messages/${question}/reactions/${encodeURIComponent(reaction)}`));
  await must(ada.post(`/api/messages/${question}/pin`));
  const edited = await sayId(ben, town, "first");
  await must(ben.put(`/api/messages/${edited}`, { content: "second, **edited**" }));
  await must(ben.delete(`/api/messages/${await sayId(ben, town, "gone")}`));
  const root = await sayId(ben, town, "gone, with replies");
  await say(cora, town, "I answered that", { thread_root_id: root });
  await must(ben.delete(`/api/messages/${root}`));
  await say(cora, town, `Long: ${"word ".repeat(700)}end`);
  await filesOf(ada, town);

  await say(ben, secret, "This is secret");
  const direct = (await ada.post("/api/direct", { username: "Ben" })).body.channel.id as number;
  await say(ada, direct, "Only for you, @Ben");
  const withAgent = (await cora.post("/api/direct", { agent_name: "Scout" })).body.channel.id as number;
  await say(cora, withAgent, "Hello, agent");
  await groupOf(server, ada, [ben, cora]);
  await apart(server);
  return { ada, town, secret };
}

/** Gives the messages of a channel times that differ: two of one person in a millisecond have a test of their own. */
async function apart({ ctx: { db } }: TestServer): Promise<void> {
  await db
    .updateTable("messages")
    .set((eb) => ({
      created_at: eb("created_at", "+", eb("seq", "*", 2)),
      edited_at: eb("edited_at", "+", eb("seq", "*", 2)),
    }))
    .execute();
}

async function filesOf(ada: Client, town: number): Promise<void> {
  const picture = (await upload(ada, png(4, 4), "ein Bild.png")).body.file;
  const text = (await upload(ada, "some words", "notes & more.txt")).body.file;
  await must(ada.put(`/api/files/${picture.file_id}`, { alt_text: "A dot" }));
  await say(ada, town, "Two files", { file_ids: [picture.file_id, text.file_id] });
  await say(ada, town, "", { file_ids: [(await upload(ada, "alone", "alone.txt")).body.file.file_id] });
}

/** Only an import makes a conversation of several people. */
async function groupOf(server: TestServer, owner: Client, others: readonly Client[]): Promise<void> {
  const id = (await owner.post("/api/channels", { name: "the three", is_private: true, password: PASSWORD })).body
    .channel_id as number;
  for (const other of others) await must(other.post(`/api/channels/${id}/join`, { password: PASSWORD }));
  await say(owner, id, "To all three");
  const { db } = server.ctx;
  await db
    .updateTable("channels")
    .set({ owner_id: null, slug: "direct-0123456789abcdef0123" })
    .where("id", "=", id)
    .execute();
  await db.updateTable("channel_members").set({ role: "member" }).where("channel_id", "=", id).execute();
}

/** Adds what no other chat has, and becomes text or a file. */
export async function addParleysOwn(server: TestServer, { ada, town }: Scene): Promise<void> {
  const first = await sayId(ada, town, "The first _thing_");
  await say(ada, town, "I quote it", { reply_to_id: first });
  await forwarded(ada, first, town, { comment: "Look" });
  await must(ada.post("/api/polls", { channel_id: town, question: "Tea or *coffee*?", options: ["Tea", "Coffee"] }));
  const sticker = await newSticker(ada, stillGif(2, 2));
  await must(ada.post("/api/messages", { channel_id: town, sticker_id: sticker.sticker_id }));
  await must(ada.post("/api/messages", { channel_id: town, content: "Soon gone", expires_in: 3600 }));
  const now = server.ctx.clock.now();
  const last = await sayId(ada, town, "The last");
  await server.ctx.db.updateTable("messages").set({ edited_at: now }).where("id", "=", last).execute();
}
