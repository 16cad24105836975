import { makeConfirmationLink } from "../../accounts/addresses/confirm-address.ts";
import { languageOf, mailLanguage } from "../../accounts/addresses/language.ts";
import { invitationToMail } from "../../accounts/invitations/invite-by-mail.ts";
import { accountMeant, makeMailedLink } from "../../accounts/reset-links/mailed-link.ts";
import { siteName } from "../../site/site.ts";
import { linkTo } from "../links.ts";
import { countSince, setMailUser } from "../outbox/outbox.store.ts";
import { momentIn, textsIn } from "../text/texts.ts";
import type { KindOfMail } from "./kind.ts";

const DAY_MS = 86_400_000;
/** Mails that one account can make go to addresses that it has not confirmed, a day: it may enter one after the other. */
const CONFIRMATIONS_PER_USER = 10;
const RESETS_PER_USER = 5;

/** The mail that confirms an address. */
export const confirmAddress: KindOfMail = {
  isLimited: true,
  revives: true,
  async compose(ctx, { userId, address, createdAt }) {
    if (userId === null || address === null) return { dropped: "account deleted" };
    const since = createdAt - DAY_MS;
    const asked = await countSince(ctx.db, { userId, kind: "confirm_address", since, until: createdAt });
    if (asked > CONFIRMATIONS_PER_USER) return { dropped: "too many addresses of one account" };
    const link = await makeConfirmationLink(ctx, userId, address);
    if ("dropped" in link) return link;
    const language = languageOf(link.user);
    const { confirm } = textsIn(language);
    const site = await siteName(ctx);
    return {
      to: link.address,
      language,
      subject: confirm.subject(site),
      parts: [
        { kind: "text", text: confirm.text(link.user.username, site) },
        { kind: "button", label: confirm.button, url: linkTo(ctx, `/confirm-address#${link.token}`) },
        { kind: "text", text: confirm.hint },
      ],
      footer: confirm.footer(site),
    };
  },
};

/** The mail with a link to choose a new password. */
export const resetPassword: KindOfMail = {
  forgetsDropped: true,
  async compose(ctx, { id, tries, parameters, createdAt }) {
    const userId = await accountMeant(ctx, String(parameters.account));
    if (userId === null) return { dropped: "nobody" };
    await setMailUser(ctx.db, id, userId);
    const since = createdAt - DAY_MS;
    const asked = await countSince(ctx.db, { userId, kind: "reset_password", since, until: createdAt });
    if (asked > RESETS_PER_USER) return { dropped: "too many for one account" };
    const link = await makeMailedLink(ctx, userId, tries === 1);
    if ("dropped" in link) return link;
    const language = languageOf(link.user);
    const { reset } = textsIn(language);
    const site = await siteName(ctx);
    return {
      to: link.address,
      language,
      subject: reset.subject(site),
      parts: [
        { kind: "text", text: reset.text(link.user.username, site) },
        { kind: "button", label: reset.button, url: linkTo(ctx, `/reset#${link.token}`) },
        { kind: "text", text: reset.hint },
      ],
      footer: reset.footer(site),
    };
  },
};

/** The mail of an invitation. Its language is that of the administrator: nobody knows the reader's. */
export const invitation: KindOfMail = {
  isLimited: true,
  async compose(ctx, { address, parameters }) {
    const found = await invitationToMail(ctx, Number(parameters.invitation_id));
    if ("dropped" in found) return found;
    if (address === null) return { dropped: "no address" };
    const language = mailLanguage(found.language) ?? "en";
    const texts = textsIn(language).invitation;
    const site = await siteName(ctx);
    return {
      to: address,
      language,
      subject: texts.subject(site),
      parts: [
        { kind: "text", text: texts.text(found.by, site) },
        { kind: "button", label: texts.button, url: linkTo(ctx, `/join?invite=${encodeURIComponent(found.code)}`) },
        { kind: "text", text: texts.hint(momentIn(language, found.expiresAt)) },
      ],
      footer: texts.footer(site),
    };
  },
};
