import { expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { refusal, TestMailServer } from "../support/mail/mail-server.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const HEALTH = "/api/admin/mail";

/** Administrators see the mails that do not get away (protocol §17). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const mails = await forAllTests(TestMailServer.start());
  const server = await forAllTests(startTestServer(mails.settings(), { database: await open(), clock }));

  test("it says how many mails wait, since when, and why; and how many have failed", async () => {
    const rosa = await staff(server, "rosa", 2);
    expect((await rosa.get(HEALTH)).body).toMatchObject({
      waiting: 0,
      oldest_due_at: null,
      last_problem: null,
      failed: 0,
    });
    mails.onRecipient = () => refusal(450, "come back later");
    const before = clock.now();
    await rosa.post("/api/invitations/mail", { email: "ben@example.org" });
    const stuck = await eventually("a try has failed", async () => {
      const { body } = await rosa.get(HEALTH);
      return body.last_problem === null ? null : body;
    });
    expect(stuck).toMatchObject({ waiting: 1, failed: 0, last_problem: expect.stringContaining("come back later") });
    expect(Math.abs(Date.parse(stuck.oldest_due_at) - before)).toBeLessThan(60_000);
    mails.onRecipient = () => refusal(550, "no such user");
    clock.ahead += 3_600_000;
    const failed = await eventually("it has failed", async () => {
      const { body } = await rosa.get(HEALTH);
      return body.failed === 0 ? null : body;
    });
    expect(failed).toMatchObject({ waiting: 0, oldest_due_at: null, last_problem: null, failed: 1 });
  });

  test("only administrators see it", async () => {
    expectError(await (await staff(server, "mona", 1)).get(HEALTH), 403, "forbidden");
    expectError(await server.guest.get(HEALTH), 401, "session_required");
  });
});
