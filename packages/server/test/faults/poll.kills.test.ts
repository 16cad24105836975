import { expect, test } from "bun:test";
import { SERVER_DATABASES } from "../support/databases.ts";
import { killActAtEach, placeOn } from "../support/faults/kill-at-each.ts";
import { freePort } from "../support/servers/child-server.ts";
import { type Client, signUp } from "../support/servers/test-server.ts";

const WRITES = /"poll_votes"|update "polls"|update "messages"|insert into "channel_events"/;

/** Protocol §13.7: a vote and a close are whole, or were never made, whatever the node was doing when it died. */
for (const database of SERVER_DATABASES) {
  test(`kills on ${database} before any statement of a vote or a close leave exact sums and one event each`, async () => {
    await using place = await placeOn(database);
    let ann: Client | undefined;
    let poll = 0;
    const kills = await killActAtEach(place, freePort(), {
      statements: WRITES,
      async prepare(url, round) {
        ann ??= await signUp(url, "ann");
        const made = { channel_slug: "general", question: `Round ${round}?`, options: ["a", "b"] };
        poll = (await ann.post("/api/polls", made)).body.message_id;
        expect((await ann.put(`/api/polls/${poll}/vote`, { option_ids: [1] })).status).toBe(200);
      },
      async act() {
        const voted = await ann?.put(`/api/polls/${poll}/vote`, { option_ids: [2] });
        // A client whose vote was stored may find the poll closed by its own other call.
        if (voted?.body.code !== "poll_closed") expect(voted?.status).toBe(200);
        expect((await ann?.post(`/api/polls/${poll}/close`))?.status).toBe(200);
      },
      async check() {
        const [message] = (await ann?.get(`/api/messages?channel_slug=general&ids=${poll}`))?.body.messages ?? [];
        expect(message.poll).toMatchObject({ status: "closed", total_voters: 1, my_votes: [2] });
        expect(message.poll.options).toMatchObject([
          { count: 0, voters: [] },
          { count: 1, voters: [{ username: "ann" }] },
        ]);
        const votes = await place.query(`select option_id from poll_votes where message_id = ${poll}`);
        expect(votes.map(({ option_id }) => Number(option_id))).toEqual([2]);
        const events = await place.query(`select seq from channel_events where message_id = ${poll}`);
        // The first vote, the other one, and the close.
        expect(events).toHaveLength(3);
        const ended = await place.query(`select closed_at from polls where message_id = ${poll} and closed_at > 0`);
        expect(ended).toHaveLength(1);
      },
    });
    // The vote reads votes, deletes one, inserts one, reads voters, writes message and event; the close writes three times.
    expect(kills).toBeGreaterThanOrEqual(9);
  }, 400_000);
}
