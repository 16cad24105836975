import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { addEmoji, emojiPicture } from "../support/emoji.ts";
import { stillGif } from "../support/gifs.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

test("an emoji that one node adds is known on both at once, and gone on both when it is deleted", async () => {
  await using cluster = await startNodes(2, { bus: "memory", config: { rateLimits: "off" } });
  const [one, two] = cluster.nodes;
  if (one === undefined || two === undefined) throw new Error("no nodes");
  const [ann, ben] = [await one.user("ann"), await two.user("ben")];
  await using listener = await LiveSocket.open(two.url, ben.credential);
  const namesAt = async (url: string) =>
    (await new Client(url, ben.credential).get("/api/emoji")).body.emoji.map(({ name }: { name: string }) => name);
  for (const { url } of cluster.nodes) expect(await namesAt(url)).toEqual([]);

  const { emoji } = (await addEmoji(ann, "parrot_x", stillGif(5, 5))).body;
  const told = await listener.find(({ event }) => event === "emoji:update");
  expect(told.data).toEqual({ name: "parrot_x", emoji });
  for (const node of cluster.nodes) {
    await eventually("the node lists it", async () => (await namesAt(node.url)).includes("parrot_x"));
    expect((await emojiPicture(node, emoji.url)).status).toBe(200);
  }

  const names = ["both_x", "both-x"];
  const answers = await Promise.all(names.map((name, n) => addEmoji(n === 0 ? ann : ben, name, stillGif(1, n + 1))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);

  expect((await new Client(two.url, ann.credential).delete("/api/emoji/parrot_x")).status).toBe(200);
  expect((await listener.find(({ event, data }) => event === "emoji:update" && data.emoji === null)).data.name).toBe(
    "parrot_x",
  );
  for (const { url } of cluster.nodes)
    await eventually("the node has forgotten it", async () => !(await namesAt(url)).includes("parrot_x"));
});
