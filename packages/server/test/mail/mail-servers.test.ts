import { expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { mailSender } from "../../src/mail/start.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { mailSettings, refusal, TestMailServer } from "../support/mail/mail-server.ts";
import { newestMail, outbox, putBackMail } from "../support/mail/outbox.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const IMPATIENT = { idleSeconds: 60, jobRate: 5, answerMaxMs: 1_000, redisAnswerMs: 50 };

/** A server that speaks SMTP by a script: what it answers to each line; null: nothing. */
async function scripted(
  answer: (line: string, socket: Socket) => string | null,
  greeting: string | null = "220 hello\r\n",
) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    if (greeting !== null) socket.write(greeting);
    let isBody = false;
    let left = "";
    socket.on("data", (chunk) => {
      left += chunk.toString();
      for (;;) {
        const at = left.indexOf("\r\n");
        if (at < 0) return;
        const line = left.slice(0, at);
        left = left.slice(at + 2);
        if (isBody && line !== ".") continue;
        isBody = line === "DATA";
        const text = answer(line, socket);
        if (text !== null) socket.write(text);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as { port: number };
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers as a mail server that takes everything. */
function taking(line: string): string {
  if (line.startsWith("EHLO")) return "250-me\r\n250 SIZE 1000000\r\n";
  if (line === "DATA") return "354 go on\r\n";
  return "250 fine\r\n";
}

/** Mail servers that refuse, hang or lie (protocol §17). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  let count = 0;

  const withMailServer = async (port: number, smtp: object = {}) => {
    const server = await startTestServer(mailSettings({ port, ...smtp }), {
      database: await open(clock),
      clock,
      timing: IMPATIENT,
    });
    const ask = async (email = `person${++count}@example.org`) => {
      const ann = await server.newUser();
      await ann.put(`/api/user/${ann.username}`, { email });
      return email;
    };
    return { server, ctx: server.ctx, ask, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

  test("a server that says to come back gets the mail later, with the same Message-ID", async () => {
    await using mailbox = await TestMailServer.start();
    await using chat = await withMailServer(mailbox.port);
    const seen: string[] = [];
    mailbox.onMail = (mail) => {
      seen.push(mail.header("message-id") ?? "");
      return seen.length < 2 ? refusal(451, "4.2.0 come back") : null;
    };
    const email = await chat.ask();
    expect((await putBackMail(chat.ctx)).reason).toContain("come back");
    clock.ahead += 90_000;
    await eventually("the second try", () => mailbox.to(email)[0]);
    expect(seen[0]).toMatch(/^<[0-9a-f]{36}@example\.org>$/);
    expect(seen[1]).toBe(seen[0]);
  });

  test("after three refusals an address gets no mail until its user confirms it again", async () => {
    await using mailbox = await TestMailServer.start();
    await using chat = await withMailServer(mailbox.port);
    mailbox.onRecipient = () => refusal(550, "5.1.1 no such mailbox");
    const email = "gone@example.org";
    for (let n = 1; n <= 3; n++) {
      await chat.ask(email);
      await eventually(
        `refusal ${n}`,
        async () => (await outbox(chat.ctx)).filter(({ state }) => state === "refused").length === n,
      );
    }
    expect(await chat.ctx.db.selectFrom("mail_addresses").select(["refusals"]).executeTakeFirst()).toEqual({
      refusals: 3,
    });
    const ruth = await chat.server.newUser();
    await chat.ctx.db.updateTable("users").set({ admin_level: 2 }).where("username", "=", ruth.username).execute();
    const { logIn } = await import("../support/servers/test-server.ts");
    const admin = await logIn(chat.server.url, ruth.username);
    await admin.post("/api/invitations/mail", { email });
    expect((await newestMail(chat.ctx, "dropped")).reason).toContain("refused three times");
  });

  test("a policy or a full message is not the recipient's fault", async () => {
    await using mailbox = await TestMailServer.start();
    await using chat = await withMailServer(mailbox.port);
    mailbox.onRecipient = () => refusal(550, "5.7.1 your server may not");
    await chat.ask();
    expect((await putBackMail(chat.ctx)).reason).toContain("5.7.1");
    mailbox.onRecipient = () => null;
    mailbox.onMail = () => refusal(554, "5.6.0 what is this");
    await chat.ask();
    expect((await newestMail(chat.ctx, "refused")).reason).toContain("5.6.0");
    const rows = await chat.ctx.db.selectFrom("mail_addresses").select("refusals").execute();
    expect(rows.every(({ refusals }) => refusals === 0)).toBe(true);
  });

  test("a wrong login holds everything, and no address suffers", async () => {
    await using mailbox = await TestMailServer.start({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (auth, _session, done) => done(auth.password === "right" ? null : new Error("no"), { user: "x" }),
    });
    await using chat = await withMailServer(mailbox.port, { login: { user: "chat", password: "hunter22" } });
    await chat.ask();
    const { reason, tries } = await putBackMail(chat.ctx);
    expect(reason).toContain("AUTH");
    expect(`${reason}`).not.toContain("hunter22");
    expect(tries).toBe(0);
    expect(mailSender(chat.ctx).figures.held).toContain("AUTH");
    expect(await chat.ctx.metrics.render()).toContain("parley_mail_held 1");
  });

  test("a server without STARTTLS gets nothing where TLS is demanded, not even a login", async () => {
    const lines: string[] = [];
    await using plain = await scripted((line) => {
      lines.push(line);
      return taking(line);
    });
    await using chat = await withMailServer(plain.port, {
      tls: "demanded",
      login: { user: "chat", password: "hunter22" },
    });
    await chat.ask();
    expect((await putBackMail(chat.ctx)).tries).toBe(0);
    expect(lines.filter((line) => /^(AUTH|MAIL|RCPT|DATA)/.test(line))).toEqual([]);
  });

  test("a server that offers STARTTLS and does not do it gets nothing", async () => {
    await using liar = await scripted((line) =>
      line.startsWith("EHLO")
        ? "250-me\r\n250 STARTTLS\r\n"
        : line === "STARTTLS"
          ? "220 go\r\n250 injected\r\n"
          : taking(line),
    );
    await using chat = await withMailServer(liar.port, { tls: "demanded" });
    await chat.ask();
    expect((await putBackMail(chat.ctx)).tries).toBe(0);
  });

  test("a certificate that this machine does not trust holds everything", async () => {
    await using mailbox = await TestMailServer.start({ secure: true });
    await using chat = await withMailServer(mailbox.port, { tls: "wrapped" });
    await chat.ask();
    expect((await putBackMail(chat.ctx)).tries).toBe(0);
    expect(mailbox.mails).toEqual([]);
  });

  test("a server that hangs or never ends its answer holds mails only until it is better", async () => {
    await using silent = await scripted(() => null, null);
    await using first = await withMailServer(silent.port);
    await first.ask();
    expect((await putBackMail(first.ctx)).tries).toBe(0);
    await using endless = await scripted((line, socket) => {
      if (!line.startsWith("EHLO")) return taking(line);
      for (let n = 0; n < 2_000; n++) socket.write(`250-${"x".repeat(1_000)}\r\n`);
      return null;
    });
    await using second = await withMailServer(endless.port);
    await second.ask();
    expect((await putBackMail(second.ctx)).reason).toContain("size");
  });

  test("a mail whose text was handed over without an answer is unsure, and not sent again", async () => {
    let bodies = 0;
    await using silent = await scripted((line) => {
      if (line !== ".") return taking(line);
      bodies++;
      return null;
    });
    await using chat = await withMailServer(silent.port);
    await chat.ask();
    await newestMail(chat.ctx, "unsure");
    clock.ahead += 3_600_000;
    await mailSender(chat.ctx).pass();
    await mailSender(chat.ctx).settled();
    expect(bodies).toBe(1);
    await eventually("the metric", async () => (await chat.ctx.metrics.render()).includes("parley_mail_unsure 1"));
  });

  test("mails that waited in data which was restored are not sent", async () => {
    await using mailbox = await TestMailServer.start();
    await using chat = await withMailServer(mailbox.port);
    mailbox.onMail = () => refusal(451, "later");
    await chat.ask();
    await putBackMail(chat.ctx);
    await chat.ctx.db.updateTable("mails").set({ epoch: "another" }).execute();
    mailbox.onMail = () => null;
    clock.ahead += 90_000;
    expect((await newestMail(chat.ctx, "dropped")).reason).toBe("restored");
    expect(mailbox.mails).toEqual([]);
  });
});
