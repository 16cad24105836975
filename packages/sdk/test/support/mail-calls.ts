import { expect, test } from "bun:test";
import type { Mail } from "../../src/resources/mail.ts";
import type { Calls } from "./every-call.ts";
import type { RecordedCalls } from "./recorded-calls.ts";

const TOKEN = "A".repeat(43);

/** The calls of mail. */
export const mailCalls = (mail: Mail): Calls => ({
  "mail.own": (options) => mail.own(options),
  "mail.sendConfirmation": (options) => mail.sendConfirmation(options),
  "mail.confirmAddress": (options) => mail.confirmAddress({ token: TOKEN }, options),
  "mail.forgotPassword": (options) => mail.forgotPassword({ account: "ana" }, options),
  "mail.invite": (options) => mail.invite({ email: "ben@example.org" }, options),
  "mail.health": (options) => mail.health(options),
  "mail.unsubscribe": (options) => mail.unsubscribe(TOKEN, options),
});

/** Tests of the calls about mail, on a server that sends none; server/test/mail has the others. */
export function mailRefusals(calls: RecordedCalls): void {
  test("calls for mail reach the server, which says that it sends none", async () => {
    const { mail } = await calls.person("ana");
    const off = { code: "mail_off", status: 409 };
    await expect(mail.own()).rejects.toMatchObject(off);
    await expect(mail.sendConfirmation()).rejects.toMatchObject(off);
    await expect(mail.forgotPassword({ account: "ana" })).rejects.toMatchObject(off);
    await expect(mail.invite({ email: "ben@example.org" })).rejects.toMatchObject({ code: "forbidden" });
    await expect(mail.health()).rejects.toMatchObject({ code: "forbidden" });
    await expect(mail.confirmAddress({ token: TOKEN })).rejects.toMatchObject({ code: "confirm_link_expired" });
    await expect(mail.unsubscribe(TOKEN)).rejects.toMatchObject({ code: "unsubscribe_unknown", status: 404 });
  });
}
