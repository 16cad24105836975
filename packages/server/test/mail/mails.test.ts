import { expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { dump } from "../support/dump.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestMailServer, tokenIn } from "../support/mail/mail-server.ts";
import { type Client, eventually, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const NEW = "a staple and a battery";
const HOUR = 3_600_000;
type Named = Client & { username: string };

/** Confirming an address, and a new password by mail (protocol §17). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const mailbox = await forAllTests(TestMailServer.start());
  const server = await forAllTests(startTestServer(mailbox.settings(), { database: await open(clock), clock }));
  let count = 0;
  const address = () => `person${++count}@example.org`;

  const mailTo = (to: string, nth = 1) => eventually(`mail ${nth} to ${to}`, () => mailbox.to(to)[nth - 1]);
  const confirm = (token: string) => server.guest.post("/api/auth/confirm-address", { token });
  const forgot = (account: string) => server.guest.post("/api/auth/forgot", { account });
  const profile = async (who: Named) => (await who.get(`/api/user/${who.username}`)).body;
  const setAddress = (who: Named, email: string | null) => who.put(`/api/user/${who.username}`, { email });
  const withAddress = async (email = address()) => {
    const ann = await server.newUser();
    expect((await setAddress(ann, email)).status).toBe(200);
    return { ann, email };
  };
  const withConfirmed = async () => {
    const made = await withAddress();
    expect((await confirm(tokenIn(await mailTo(made.email)))).status).toBe(200);
    return made;
  };
  /** Sends a mail to another address and waits for it: what was asked for before has been sent by then. */
  const afterAll = async () => {
    const { email } = await withAddress();
    await mailTo(email);
  };

  test("a mail confirms an address, once; the token is stored nowhere", async () => {
    const { ann, email } = await withAddress();
    expect((await profile(ann)).email_verified).toBe(false);
    const mail = await mailTo(email);
    const token = tokenIn(mail);
    expect(mail.text).toContain(`https://chat.example.org/confirm-address#${token}`);
    expect((await dump(server.ctx.db)).some(({ text }) => text.includes(token))).toBe(false);

    const answer = await confirm(token);
    expect(answer.body).toMatchObject({ username: ann.username, email });
    expect((await profile(ann)).email_verified).toBe(true);
    expectError(await confirm(token), 410, "confirm_link_expired");
    expectError(await confirm("A".repeat(43)), 410, "confirm_link_expired");
    expectError(await confirm("?"), 410, "confirm_link_expired");
    expectError(await server.guest.post("/api/auth/confirm-address", {}), 400, "invalid_request");
  });

  test("a registration with an address gets the mail, in the language of the browser", async () => {
    const email = address();
    const body = { username: `reg${count}`, password: PASSWORD, email };
    const headers = { "accept-language": "fr;q=0.9, zh-CN;q=0.8, en;q=0.5", "content-type": "application/json" };
    const answer = await fetch(`${server.url}/api/auth/register`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
    const mail = await mailTo(email);
    expect(mail.text).toContain("请忽略");
    expect(mail.header("content-language")).toBe("zh-Hans");
  });

  test("a link ends after a day, and when the address is changed", async () => {
    const { ann, email } = await withAddress();
    const token = tokenIn(await mailTo(email));
    await setAddress(ann, address());
    expectError(await confirm(token), 410, "confirm_link_expired");
    const second = await withAddress();
    const late = tokenIn(await mailTo(second.email));
    clock.ahead += 24 * HOUR;
    expectError(await confirm(late), 410, "confirm_link_expired");
  });

  test("of two accounts with one address, the first to confirm keeps it until it lets go", async () => {
    const { ann, email } = await withAddress();
    const { ann: eve } = await withAddress(email.toUpperCase());
    const first = tokenIn(await mailTo(email));
    const second = tokenIn(await mailTo(email.toUpperCase()));
    expect((await confirm(first)).status).toBe(200);
    expectError(await confirm(second), 409, "address_in_use");
    expect((await profile(eve)).email_verified).toBe(false);
    await setAddress(ann, null);
    expect((await confirm(second)).status).toBe(200);
    expect((await profile(eve)).email_verified).toBe(true);
  });

  test("a user asks for the mail again, but not without an address or when it is confirmed", async () => {
    const { ann, email } = await withAddress();
    const again = () => ann.post("/api/auth/confirmation-mail", {});
    await mailTo(email);
    expect((await again()).status).toBe(200);
    expect((await confirm(tokenIn(await mailTo(email, 2)))).status).toBe(200);
    expectError(await again(), 409, "address_confirmed");
    const bob = await server.newUser();
    expectError(await bob.post("/api/auth/confirmation-mail", {}), 409, "no_address");
    expectError(await server.guest.post("/api/auth/confirmation-mail", {}), 401, "session_required");
  });

  test("an address that is not confirmed gets at most three mails a day, of all accounts together", async () => {
    const email = address();
    for (let n = 0; n < 5; n++) await withAddress(email);
    await afterAll();
    expect(mailbox.to(email)).toHaveLength(3);
    clock.ahead += 25 * HOUR;
    await withAddress(email);
    await mailTo(email, 4);
  });

  test("one account cannot have mails sent to any number of addresses", async () => {
    const ann = await server.newUser();
    for (let n = 0; n < 10; n++) {
      const email = address();
      await setAddress(ann, email);
      await mailTo(email);
    }
    const email = address();
    await setAddress(ann, email);
    await afterAll();
    expect(mailbox.to(email)).toHaveLength(0);
  });

  test("a new password goes by mail to the confirmed address, once and for an hour", async () => {
    const { ann, email } = await withConfirmed();
    expect((await forgot(ann.username)).status).toBe(200);
    const token = tokenIn(await mailTo(email, 2));
    expect((await server.guest.post("/api/auth/reset", { token, password: NEW })).status).toBe(200);
    await logIn(server.url, ann.username, NEW);
    expectError(await server.guest.post("/api/auth/reset", { token, password: NEW }), 410, "reset_link_expired");
    expect((await mailTo(email, 3)).text).toContain("Your password was changed");

    await forgot(email.toUpperCase());
    const late = tokenIn(
      await eventually("another link", () =>
        mailbox.to(email).find(({ text }, at) => at > 2 && text.includes("/reset#")),
      ),
    );
    clock.ahead += HOUR + 1_000;
    expectError(await server.guest.post("/api/auth/reset", { token: late, password: NEW }), 410, "reset_link_expired");
  });

  test("the answer is the same for every account, and only a confirmed address gets a mail", async () => {
    const { ann, email } = await withAddress();
    await mailTo(email);
    const answers = [
      await forgot(ann.username),
      await forgot(email),
      await forgot("nobody"),
      await forgot("x@y.example"),
    ];
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    await afterAll();
    expect(mailbox.to(email)).toHaveLength(1);
    // What was typed is not kept.
    expect(
      (await dump(server.ctx.db)).some(({ table, text }) => table === "mails" && text.includes("x@y.example")),
    ).toBe(false);
  });

  test("anybody can ask for a mail with a link, which does not end an administrator's link", async () => {
    const { ann, email } = await withConfirmed();
    const rolf = await staff(server, "rolf", 2);
    const link = await rolf.post(`/api/admin/users/${ann.username}/reset-link`, {});
    expect(link.status).toBe(201);
    const token = String(link.body.url).split("#")[1];
    expect((await forgot(ann.username)).status).toBe(200);
    await afterAll();
    expect(mailbox.to(email).some(({ text }) => text.includes("/reset#"))).toBe(false);
    expect((await server.guest.post("/api/auth/reset", { token, password: NEW })).status).toBe(200);
  });

  test("a changed address ends the mailed link, and the former address learns of it", async () => {
    const { ann, email } = await withConfirmed();
    await forgot(ann.username);
    const token = tokenIn(await mailTo(email, 2));
    await setAddress(ann, address());
    expectError(await server.guest.post("/api/auth/reset", { token, password: NEW }), 410, "reset_link_expired");
    expect((await mailTo(email, 3)).text).toContain("Another email address was entered");
    expect((await profile(ann)).email_verified).toBe(false);
  });

  test("administrators invite by mail, and nobody else", async () => {
    const ruth = await staff(server, "ruth", 2);
    const mod = await staff(server, "mia", 1);
    const email = address();
    const answer = await ruth.post("/api/invitations/mail", { email, days: 3 });
    expect(answer.status).toBe(201);
    const mail = await mailTo(email);
    expect(mail.text).toContain(`https://chat.example.org/join?invite=${answer.body.invitation.code}`);
    expect(mail.text).toContain("ruth invites you");
    expectError(await mod.post("/api/invitations/mail", { email }), 403, "forbidden");
    expectError(await ruth.post("/api/invitations/mail", { email: "a\r\nBcc: b@c.example" }), 400, "invalid_email");
    expectError(await ruth.post("/api/invitations/mail", {}), 400, "invalid_email");
  });

  test("nobody who is suspended or deleted gets a mail", async () => {
    const ruth = await staff(server, "rita", 2);
    const { ann, email } = await withConfirmed();
    expect(
      (await ruth.put(`/api/admin/users/${ann.username}`, { suspended_until: "2100-01-01T00:00:00Z" })).status,
    ).toBe(200);
    await forgot(ann.username);
    await afterAll();
    expect(mailbox.to(email)).toHaveLength(1);
  });
});
