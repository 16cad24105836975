import { expect, test } from "bun:test";
import { closeDuePolls } from "../../src/polls/close-due.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

test("votes over two nodes at once, changes of mind and a close by both have exact sums, and each node tells them", async () => {
  await using cluster = await startNodes(2, { bus: "memory", config: { rateLimits: "off" } });
  const [one, two] = cluster.nodes;
  if (one === undefined || two === undefined) throw new Error("no nodes");
  const ann = await one.user("ann");
  const crowd = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).user(`crowd-${n}`)));
  const clients = crowd.flatMap(({ credential }) => [new Client(one.url, credential), new Client(two.url, credential)]);
  await using listener = await LiveSocket.open(two.url, ann.credential);
  await listener.ask("channel:join", { channel_slug: "general" });
  const ask = async (more: object = {}) =>
    (await ann.post("/api/polls", { channel_slug: "general", question: "?", options: ["a", "b", "c"], ...more })).body
      .poll.poll_id;
  const vote = (who: Client, id: number, option: number | null) =>
    who.put(`/api/polls/${id}/vote`, { option_ids: option === null ? [] : [option] });
  const rows = (id: number) => one.ctx.db.selectFrom("poll_votes").selectAll().where("message_id", "=", id).execute();
  const pollAt = async (server: { url: string }, id: number) =>
    (await new Client(server.url, ann.credential).get(`/api/messages?channel_slug=general&ids=${id}`)).body.messages[0]
      .poll;
  const expectExact = async (id: number) => {
    const votes = await rows(id);
    const sums = [1, 2, 3].map((option) => votes.filter(({ option_id }) => option_id === option).length);
    for (const server of [one, two]) {
      const poll = await pollAt(server, id);
      expect(poll.options.map(({ count }: { count: number }) => count)).toEqual(sums);
      expect(poll.total_voters).toBe(new Set(votes.map(({ user_id }) => user_id)).size);
    }
    return sums;
  };

  const id = await ask();
  // Both nodes get several votes of each person at once, and the last commit wins.
  const answers = await Promise.all(
    [1, 2, 3, null, 2].flatMap((option) => clients.map((client) => vote(client, id, option))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await expectExact(id);
  const events = await one.ctx.db.selectFrom("channel_events").select("seq").where("message_id", "=", id).execute();
  expect(events.length).toBeLessThan(answers.length / 2);
  await Promise.all(clients.map((client) => vote(client, id, 3)));
  expect(await expectExact(id)).toEqual([0, 0, 20]);
  const last = await listener.find(({ event, data }) => event === "poll:update" && data.poll.options[2].count === 20);
  expect(last.data.poll).toMatchObject({ poll_id: id, total_voters: 20, my_votes: null });
  for (const server of [one, two])
    await eventually("the newest page shows the sums", async () => {
      const { messages } = (await new Client(server.url, ann.credential).get("/api/messages?channel_slug=general"))
        .body;
      return messages.find((each: { id: number }) => each.id === id).poll.total_voters === 20;
    });

  const due = await ask({ closes_in: 60 });
  await one.ctx.db.updateTable("polls").set({ closes_at: 1 }).where("message_id", "=", due).execute();
  const [, , ...late] = await Promise.all([
    closeDuePolls(one.ctx),
    closeDuePolls(two.ctx),
    ...clients.map((client) => vote(client, due, 1)),
  ]);
  expect(new Set(late.map(({ body }) => body.code ?? "counted")).isSubsetOf(new Set(["poll_closed", "counted"]))).toBe(
    true,
  );
  await eventually("it is closed", async () => (await pollAt(two, due)).status === "closed");
  await expectExact(due);
  const closings = await one.ctx.db.selectFrom("polls").selectAll().where("message_id", "=", due).execute();
  expect(closings).toHaveLength(1);
});
