import { expect, test } from "bun:test";
import { SERVER_DATABASES } from "../support/databases.ts";
import { killAtEach, placeOn } from "../support/faults/kill-at-each.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { type Client, logIn, signUp } from "../support/servers/test-server.ts";

const PATH = "/api/reminders";
const DOWN_MS = 2 * 60_000;

/** Protocol §13.16: a user is reminded once, whatever the node was doing when it died. */
for (const database of SERVER_DATABASES) {
  test(`a server on ${database} that is killed before any statement of a reminder reminds exactly once`, async () => {
    await using place = await placeOn(database);
    const port = freePort();
    let ann: Client | undefined;
    let made = 0;
    const kills = await killAtEach(place, port, {
      statements: /"remind_at" <=|(update|insert into) "(reminders|notifications)"/,
      times: { reminders: ["remind_at"] },
      ms: DOWN_MS,
      async prepare(url, round) {
        ann ??= await signUp(url, "ann");
        const { message_id } = (await ann.post("/api/messages", { channel_slug: "general", content: `${round}` })).body;
        const remind_at = new Date(Date.now() + 60_000).toISOString();
        expect((await ann.post(PATH, { message_id, remind_at, note: `round ${round}` })).status).toBe(201);
        made = round;
      },
      async isDone(url) {
        ann ??= await logIn(url, "ann");
        return (await ann.get(`${PATH}?status=waiting`)).body.reminders.length === 0;
      },
    });
    // It reads what is due, locks it, ends it and makes its notification.
    expect(kills).toBeGreaterThanOrEqual(4);
    await using server = new ChildServer(place.folder, port, place.env);
    await server.start();
    const user = await logIn(server.url, "ann");
    const { notifications } = (await user.get("/api/notifications?limit=200")).body;
    const notes = notifications.flatMap(({ reminder }: { reminder?: { note: string } }) => reminder?.note ?? []);
    expect(notes).toEqual(Array.from({ length: made }, (_, n) => `round ${made - n}`));
  }, 400_000);
}
