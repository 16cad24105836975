import { expect, test } from "bun:test";
import { remindDue } from "../../src/reminders/remind-due.ts";
import { datedClock } from "../support/clock.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

test("of nodes that remind at once, one makes each notification, and a removal on the other node counts", async () => {
  const clock = datedClock();
  await using cluster = await startNodes(2, { bus: "memory", overrides: { clock } });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const [ann, ben] = [await first.user("ann"), await first.user("ben")];
  const { id } = await newChannel(ann, { is_private: true });
  const annOnSecond = new Client(second.url, ann.credential);
  const benOnSecond = new Client(second.url, ben.credential);
  expect((await ann.put(`/api/channels/${id}/members/ben`, {})).status).toBe(200);
  const message_id = await sayId(ann, id, "secret");
  const remind_at = new Date(clock.now() + 20_000).toISOString();
  const remind = async (user: Client, note: string) => {
    expect((await user.post("/api/reminders", { message_id, remind_at, note })).status).toBe(201);
  };
  const notes = Array.from({ length: 20 }, (_, n) => `number ${n}`);
  for (const note of notes) await remind(ann, note);
  await remind(benOnSecond, "never");
  using far = await TestSocket.open(second.url, { cookie: ann.credential.cookie ?? "" });
  expect((await annOnSecond.delete(`/api/channels/${id}/members/ben`)).status).toBe(200);
  clock.ahead += 21_000;
  await Promise.all([remindDue(first.ctx), remindDue(second.ctx), remindDue(first.ctx)]);
  await eventually("none waits", async () => {
    const waiting = first.ctx.db.selectFrom("reminders").select("id").where("ended_at", "is", null);
    return (await waiting.execute()).length === 0;
  });
  const listed = async (user: Client) => (await user.get("/api/notifications?limit=100")).body.notifications;
  const reminded = (await listed(annOnSecond)).filter(({ kind }: { kind: string }) => kind === "reminder");
  expect(reminded.map((each: { reminder: { note: string } }) => each.reminder.note).toSorted()).toEqual(
    notes.toSorted(),
  );
  await eventually(
    "the other node's socket heard of all",
    () =>
      far.frames.filter(({ event, data }) => event === "notification:new" && data.notification.kind === "reminder")
        .length === 20,
  );
  const ofBen = await listed(ben);
  expect(ofBen.filter(({ kind }: { kind: string }) => kind === "reminder")).toEqual([]);
  expect(JSON.stringify(ofBen)).not.toContain("secret");
  expect((await ben.get("/api/reminders")).body.reminders).toMatchObject([{ status: "ended", text: null }]);
});
