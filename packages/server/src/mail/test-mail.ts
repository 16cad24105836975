import type { Config } from "../config/config.ts";
import type { AppContext } from "../context.ts";
import { siteName } from "../site/site.ts";
import { MailConnections } from "./smtp/connections.ts";
import type { Outcome } from "./smtp/outcome.ts";
import { renderMail } from "./text/render.ts";

/** Why no mail is sent with these settings; null: it can be. */
export function missingForMail({ smtp, publicUrl }: Config): string | null {
  if (smtp === null) return "PARLEY_SMTP_URL is not set, so no mail is sent.";
  if (publicUrl === null) return "PARLEY_PUBLIC_URL is not set, so no mail is sent: links in mails are built from it.";
  return null;
}

/** Sends a mail at once, past the outbox, and returns what the mail server said. */
export async function sendTestMail(ctx: AppContext, to: string): Promise<Outcome> {
  const { smtp, mailFrom: from, publicUrl } = ctx.config;
  if (smtp === null || from === null || publicUrl === null) throw new Error(missingForMail(ctx.config) ?? "no mail");
  const site = await siteName(ctx);
  const messageId = `<${Buffer.from(ctx.clock.random(18)).toString("hex")}@${from.address.split("@")[1]}>`;
  const bytes = await renderMail(
    {
      to,
      language: "en",
      subject: `A test mail of ${site}`,
      parts: [
        { kind: "text", text: `This server can send mail: ${site}.` },
        { kind: "button", label: "Open it", url: `${publicUrl}/` },
      ],
      footer: "The operator of the server has sent this mail with: parley mail test",
    },
    { from, publicUrl, siteName: site, messageId, now: ctx.clock.now() },
  );
  const connections = new MailConnections({ server: smtp, timing: ctx.timing, name: new URL(publicUrl).hostname });
  try {
    const outcome = await connections.send({ from: from.address, to, bytes }, async () => true);
    return outcome ?? { kind: "unsure", reason: "the mail server did not answer" };
  } finally {
    connections.close();
  }
}
