import { expect, test } from "bun:test";
import { SERVER_DATABASES } from "../support/databases.ts";
import { killAtEach, placeOn } from "../support/faults/kill-at-each.ts";
import { refusal, TestMailServer } from "../support/mail/mail-server.ts";
import { freePort } from "../support/servers/child-server.ts";
import { eventually, PASSWORD } from "../support/servers/test-server.ts";

/** Longer than a claim lasts. */
const DOWN_MS = 4 * 60_000;
/** It is claimed, its link is stored, its address counted, its handing over noted, and its end. */
const MAIL_SQL = /update "mails" set .* where "id"|insert into "(address_links|mail_addresses)"/;

/** Protocol §17: kills make no double, and lose nothing without saying so. */
for (const database of SERVER_DATABASES) {
  test(`a server on ${database} that is killed before any statement of sending sends no mail twice`, async () => {
    await using mailbox = await TestMailServer.start();
    await using place = await placeOn(database);
    Object.assign(place.env, {
      PARLEY_SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
      PARLEY_MAIL_FROM: "chat@example.org",
      PARLEY_PUBLIC_URL: "http://127.0.0.1",
    });
    const addressOf = (round: number) => `round${round}@example.org`;
    const open = () => place.query("select id from mails where ended_at is null");
    let made = 0;
    const kills = await killAtEach(place, freePort(), {
      statements: MAIL_SQL,
      times: { mails: ["due_at", "claimed_until"] },
      ms: DOWN_MS,
      async prepare(url, round) {
        // It waits, so that the server that is killed begins with it.
        mailbox.onMail = () => refusal(451, "come back");
        const body = JSON.stringify({ username: `round${round}`, password: PASSWORD, email: addressOf(round) });
        const headers = { "content-type": "application/json" };
        expect((await fetch(`${url}/api/auth/register`, { method: "POST", headers, body })).status).toBe(201);
        await eventually(
          "the mail waits",
          async () =>
            (
              await place.query(
                "select id from mails where ended_at is null and reason is not null and claimed_until = 0",
              )
            ).length === 1,
        );
        mailbox.onMail = () => null;
        made = round;
      },
      isDone: async () => (await open()).length === 0,
    });
    expect(kills).toBeGreaterThanOrEqual(4);
    const states = await place.query("select address, state from mails order by id");
    const seen = states.map(({ address, state }) => `${state} ${mailbox.to(String(address)).length}`);
    expect(seen).toHaveLength(made);
    for (const one of seen) expect(["sent 1", "unsure 1", "unsure 0"]).toContain(one);
    // At most the two kills after the mail server had asked for the text leave it open whether it has the mail.
    expect(seen.filter((one) => one.startsWith("unsure")).length).toBeLessThanOrEqual(2);
    expect(seen.filter((one) => one === "sent 1").length).toBeGreaterThanOrEqual(kills - 2);
  }, 400_000);
}
