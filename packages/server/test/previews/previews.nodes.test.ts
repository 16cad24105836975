import { describe, expect, test } from "bun:test";
import { PREVIEWS_PER_MINUTE } from "@parley/protocol/previews";
import { previewMaker } from "../../src/previews/make-previews.ts";
import { takenSince } from "../../src/previews/previews.store.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { PreviewSite, WITH_PREVIEWS, whenPreviewed } from "../support/preview-site.ts";
import { say, sayId } from "../support/say.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { eventually } from "../support/servers/test-server.ts";

describe("previews on two nodes", () => {
  test("are made once, by whichever node, and reach the readers of both", async () => {
    using site = new PreviewSite();
    await using cluster = await startNodes(2, { bus: "memory", config: WITH_PREVIEWS });
    const [one, two] = cluster.nodes;
    if (one === undefined || two === undefined) throw new Error("no nodes");
    const [ann, bob] = [await one.user("ann"), await two.user("bob")];
    const { id } = await newChannel(ann);
    await using here = await LiveSocket.open(one.url, ann.credential);
    await using there = await LiveSocket.open(two.url, bob.credential);
    for (const socket of [here, there]) await socket.ask("channel:join", { channel_id: id });
    const links = [1, 2, 3].map((n) => site.rich(`/page/${n}`, `Page ${n}`));
    const sent = await say(ann, id, links.join(" "));
    // Both believe that the duty is theirs.
    const both = [one, two].map(({ ctx }) => previewMaker(ctx));
    await eventually("the previews are there", async () => {
      await Promise.all(both.map((maker) => maker.pass()));
      const row = await one.ctx.db
        .selectFrom("messages")
        .select("previews")
        .where("id", "=", sent.message_id)
        .execute();
      return row[0]?.previews !== "";
    });
    for (const socket of [here, there]) {
      expect((await socket.next("message:preview")).data).toMatchObject({
        seq: sent.seq + 1,
        message_id: sent.message_id,
      });
      await socket.settle();
      expect(socket.all("message:preview")).toHaveLength(1);
    }
    expect(links.map((_, n) => site.countOf(`/page/${n + 1}`))).toEqual([1, 1, 1]);
    const { previews = [] } = await whenPreviewed(two, bob, sent.message_id);
    expect(previews.map(({ title }) => title)).toEqual(["Page 1", "Page 2", "Page 3"]);
    expect((await ann.get(`/api/channels/${id}`)).body.channel.last_seq).toBe(sent.seq + 1);
  });

  test("count together against the pages of a minute", async () => {
    using site = new PreviewSite();
    await using cluster = await startNodes(2, { bus: "memory", config: WITH_PREVIEWS });
    const [one, two] = cluster.nodes;
    if (one === undefined || two === undefined) throw new Error("no nodes");
    const owner = await one.newUser();
    const { id } = await newChannel(owner);
    for (let user = 0; user < 5; user += 1) {
      const sender = await one.newUser();
      for (let n = 0; n < 14; n += 1)
        await sayId(sender, id, site.page(`/${user}/${n}`, `<title>${user} ${n}</title>`));
    }
    const both = [one, two].map(({ ctx }) => previewMaker(ctx));
    const taken = () => takenSince(one.ctx.db, one.ctx.clock.now() - 60_000);
    await eventually("the minute is full", async () => {
      await Promise.all(both.map((maker) => maker.pass()));
      return (await taken()) >= PREVIEWS_PER_MINUTE;
    });
    await Promise.all(both.map((maker) => maker.pass()));
    await Promise.all(both.map((maker) => maker.settled()));
    expect(await taken()).toBe(PREVIEWS_PER_MINUTE);
    expect(new Set(site.asked).size).toBe(site.asked.length);
  });
});
