import { afterAll, expect, test } from "bun:test";
import { WebhookEvent } from "@parley/protocol/webhooks";
import { Compile } from "typebox/compile";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { forwarded } from "../support/forwards.ts";
import { newChannel } from "../support/new-channel.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { isSignedBy, WebhookReceiver } from "../support/webhook-receiver.ts";

/** Polls in other features (protocol §13.7), over real HTTP. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(
    startTestServer({ rateLimits: "off", egressAllow: ["127.0.0.0/8"] }, { database: await open() }),
  );
  const [ann, ben] = [await server.newUser(), await server.newUser()];
  const made = async (channel_id: number, more: object = {}) => {
    const poll = { channel_id, question: "Tea?", options: ["Green", "Black"], ...more };
    return (await ann.post("/api/polls", poll)).body.poll.poll_id as number;
  };
  const vote = (who: Client, id: number, ...option_ids: number[]) => who.put(`/api/polls/${id}/vote`, { option_ids });

  test("a forward of a poll has its question and options as text, without votes, and nobody votes there", async () => {
    const [from, to] = [await newChannel(ann), await newChannel(ann)];
    const id = await made(from.id);
    expect((await vote(ben, id, 2)).status).toBe(200);
    const copy = await forwarded(ben, id, to.id, { comment: "Vote there" });
    expect(copy).toMatchObject({
      type: "text",
      content: "Vote there\n\nForwarded message:\n> Tea?\n> - Green\n> - Black",
    });
    expect(copy.forwarded).toMatchObject({ is_copy: true, content: "Tea?\n- Green\n- Black", username: ann.username });
    expect(copy.poll).toBeUndefined();
    expect(JSON.stringify(copy.forwarded)).not.toContain(ben.username);
    expectError(await vote(ben, copy.id, 1), 404, "poll_not_found");
    await ann.put(`/api/channels/${from.id}`, { retention_days: 30 });
    expect((await forwarded(ben, id, to.id)).forwarded).toMatchObject({ is_copy: false, content: null });
  });

  test("a webhook gets each change of a poll, without what one reader chose", async () => {
    const receiver = new WebhookReceiver();
    afterAll(() => receiver[Symbol.dispose]());
    const { id: channel_id } = await newChannel(ann);
    const hook = { url: receiver.url, events: ["poll.update"], channel_id };
    const { secret } = (await ann.post("/api/webhooks", hook)).body;
    const id = await made(channel_id);
    const arrived = (count: number) => eventually("it arrives", () => receiver.received.length >= count);
    await vote(ben, id, 1);
    await arrived(1);
    await ann.post(`/api/polls/${id}/close`);
    await arrived(2);
    expect(receiver.types).toEqual(["poll.update", "poll.update"]);
    const [voted, closed] = receiver.received;
    if (voted === undefined || closed === undefined) throw new Error("Two requests arrived.");
    for (const each of [voted, closed]) {
      expect(Compile(WebhookEvent).Errors(each.body)).toEqual([]);
      expect(isSignedBy(each, secret)).toBeTrue();
      expect(each.body.data).toMatchObject({ channel_id, poll: { poll_id: id, total_voters: 1, my_votes: null } });
    }
    expect(closed.body.data).toMatchObject({
      poll: { status: "closed", options: [{ count: 1, voters: [{ username: ben.username }] }, { count: 0 }] },
    });
  });
});
