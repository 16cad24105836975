import { formerReader, reachableUser } from "../../accounts/addresses/confirmed.ts";
import { languageOf } from "../../accounts/addresses/language.ts";
import type { MailedNotice } from "../../accounts/security-notices/mailed-notices.ts";
import { siteName } from "../../site/site.ts";
import { linkTo } from "../links.ts";
import { countNotices } from "../outbox/outbox.store.ts";
import { momentIn, textsIn } from "../text/texts.ts";
import type { KindOfMail } from "./kind.ts";

const DAY_MS = 86_400_000;
/** Mails of one notice a day: many harmless ones must not cover another one, so each notice has its own count. */
const PER_NOTICE = 10;

/** The mail of a security notice. All those of one account are a thread. */
export const securityNotice: KindOfMail = {
  async compose(ctx, { userId, address, parameters, createdAt }) {
    if (userId === null) return { dropped: "account deleted" };
    const reader = address === null ? await reachableUser(ctx, userId) : await formerReader(ctx, userId, address);
    if ("dropped" in reader) return reader;
    const notice = parameters.notice as MailedNotice;
    const count = await countNotices(ctx.db, { userId, notice, since: createdAt - DAY_MS, until: createdAt });
    if (count > PER_NOTICE) return { dropped: "too many notices of one kind" };
    const language = languageOf(reader.user);
    const { security } = textsIn(language);
    const site = await siteName(ctx);
    const { actor, network } = parameters;
    const facts = [
      security.facts(reader.user.username, momentIn(language, Number(parameters.at))),
      ...(actor === "administrator" ? [security.byAdministrator] : actor === "operator" ? [security.byOperator] : []),
      ...(typeof network === "string" ? [security.from(network)] : []),
    ];
    return {
      to: reader.address,
      language,
      subject: security.subject(site),
      parts: [
        { kind: "text", text: security.notices[notice] },
        { kind: "text", text: facts.join("\n") },
        { kind: "text", text: security.advice },
        { kind: "button", label: security.button, url: linkTo(ctx, "/") },
      ],
      footer: security.footer(site),
      thread: `security of ${userId}`,
    };
  },
};
