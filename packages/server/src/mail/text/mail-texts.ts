import type { MailedNotice } from "../../accounts/security-notices/mailed-notices.ts";

/** The texts of a mail with a button. */
interface LinkText {
  subject(site: string): string;
  /** `name`: the account, or who invites. */
  text(name: string, site: string): string;
  button: string;
  /** How long the link works, and what to do if one did not expect the mail. */
  hint: string;
  footer(site: string): string;
}

/** The texts of mails in one language. */
export interface MailTexts {
  confirm: LinkText;
  reset: LinkText;
  invitation: Omit<LinkText, "hint"> & { hint(until: string): string };
  security: {
    subject(site: string): string;
    notices: Readonly<Record<MailedNotice, string>>;
    /** Which account, and when. */
    facts(account: string, at: string): string;
    byAdministrator: string;
    byOperator: string;
    from(network: string): string;
    advice: string;
    button: string;
    footer(site: string): string;
  };
}
