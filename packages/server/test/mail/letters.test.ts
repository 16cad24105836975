import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MAIL_LANGUAGES, type MailLanguage } from "@parley/protocol/mail";
import addressparser from "nodemailer/lib/addressparser";
import type { MailKind } from "../../src/db/tables/mails.ts";
import { transact } from "../../src/db/transact.ts";
import { KINDS } from "../../src/mail/kinds/kinds.ts";
import { isDropped, type Letter } from "../../src/mail/letter.ts";
import { renderMail } from "../../src/mail/text/render.ts";
import { publishControl } from "../../src/realtime/control/control.ts";
import { datedClock } from "../support/clock.ts";
import { DigestScene, MAILING, SETTINGS } from "../support/digest-scene.ts";
import { type ReceivedMail, received } from "../support/mail/mail-server.ts";
import { startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** A name that tries to add a header, to end the headers, to add a reader and markup, and to turn the text around. */
const EVIL = 'x\r\nBcc: eve@example.org\r\n\r\n<b onclick=1>"<eve@example.org>, \u202e\u2028';
const HEADERS =
  "auto-submitted content-language content-type date from message-id mime-version subject to x-auto-response-suppress";
const MORE: Partial<Record<MailKind, string>> = {
  security_notice: "in-reply-to references",
  digest: "in-reply-to references list-unsubscribe list-unsubscribe-post",
};
/** A word that only mails in this language have. */
const WORDS: Readonly<Record<MailLanguage, RegExp>> = { en: /\b(you|your)\b/i, es: /[áéíóúñ]/, zh: /你/ };
const TAGS = { en: "en", es: "es", zh: "zh-Hans" } as const;
const KINDS_OF_MAIL = Object.keys(KINDS) as MailKind[];

/** Returns the names of the headers of a mail, as a mail server reads them. */
const headersOf = ({ raw }: ReceivedMail): string =>
  raw
    .slice(0, raw.indexOf("\r\n\r\n"))
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")
    .map((line) => line.slice(0, line.indexOf(":")).toLowerCase())
    .toSorted()
    .join(" ");

describe("each kind of mail", () => {
  let server: TestServer;
  let ids: { ann: number; olga: number; invitation: number; since: number };

  beforeAll(async () => {
    const clock = datedClock();
    server = await startTestServer(
      { ...MAILING, siteName: EVIL, mailFrom: { name: EVIL, address: "a@b.example" } },
      { clock },
    );
    const scene = new DigestScene(server, clock);
    const { ann, bob, channel } = await scene.people();
    await ann.put(SETTINGS, { mail: { previews: true } });
    const since = clock.now();
    await scene.say(bob, channel, `@${ann.username} ${EVIL}`);
    await scene.pass();
    const olga = Object.assign(await staff(server, "olga", 2), { username: "olga" });
    const { invitation } = (await olga.post("/api/invitations", {})).body;
    ids = {
      ann: await scene.idOf(ann),
      olga: await scene.idOf(olga),
      invitation: invitation.invitation_id,
      since,
    };
    // No route lets such names in. A mail must hold all the same.
    const { db } = server.ctx;
    await db
      .updateTable("users")
      .set((eb) => ({ username: eb("username", "||", EVIL) }))
      .execute();
    await db.updateTable("channels").set({ name: EVIL }).execute();
    await transact(server.ctx, async (ctx) => publishControl(ctx, "channel_changed", channel));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Returns a mail of a kind, as a mail server gets it. */
  async function mailOf(kind: MailKind, language: MailLanguage): Promise<{ letter: Letter; mail: ReceivedMail }> {
    const { ctx } = server;
    await ctx.db.updateTable("users").set({ language }).execute();
    const user = await ctx.db.selectFrom("users").selectAll().where("id", "=", ids.ann).executeTakeFirstOrThrow();
    const parameters = {
      confirm_address: {},
      reset_password: { account: user.email },
      invitation: { invitation_id: ids.invitation },
      security_notice: { notice: "new_device", at: ctx.clock.now(), actor: "administrator", network: EVIL },
      digest: { since: ids.since, sent_before: null },
    }[kind];
    const address = kind === "confirm_address" ? user.email : kind === "invitation" ? "carl@example.org" : null;
    const due = { id: 1, tries: 2, userId: ids.ann, address, parameters, createdAt: ctx.clock.now() };
    const letter = await transact(ctx, (ctx) => KINDS[kind].compose(ctx, due));
    if (isDropped(letter)) throw new Error(`${kind} was dropped: ${letter.dropped}`);
    const from = { name: EVIL, address: "chat@example.org" };
    const stationery = { from, siteName: EVIL, publicUrl: MAILING.publicUrl, messageId: "<1@example.org>" };
    const bytes = await renderMail(letter, { ...stationery, now: ctx.clock.now() });
    return { letter, mail: received(bytes.toString("utf8"), "", letter.to) };
  }

  describe.each(KINDS_OF_MAIL.map((kind) => [kind]))("%s", (kind) => {
    test.each(MAIL_LANGUAGES.map((language) => [language]))(
      "has its own headers alone and plain text in %s",
      async (language) => {
        const { letter, mail } = await mailOf(kind, language);
        expect(headersOf(mail)).toBe(`${HEADERS} ${MORE[kind] ?? ""}`.trim().split(" ").toSorted().join(" "));
        expect(mail.header("to")).toBe(letter.to);
        expect(addressparser(mail.header("from") ?? "").map(({ address }) => address)).toEqual(["chat@example.org"]);
        expect(mail.header("content-language")).toBe(TAGS[language]);
        expect(mail.header("list-unsubscribe") ?? "<>").toMatch(
          /^<(https:\/\/chat\.example\.org\/mail\/unsubscribe\/[\w-]{43})?>$/,
        );
        for (const text of [mail.text, mail.html]) {
          expect(text).toMatch(WORDS[language]);
          expect(text).not.toContain("undefined");
          expect(text).not.toContain("\u202e");
        }
        expect(mail.html).not.toContain("<b onclick");
        expect(mail.html).toContain(`<html lang="${TAGS[language]}">`);
      },
    );
  });
});
