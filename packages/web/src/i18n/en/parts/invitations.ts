import { plural } from "../../locale.ts";

/** English texts of invitations. `i18n/invitations/zh.ts` has the same keys. */
export const EN_INVITATIONS = {
  title: "Invitations that end",
  hint: "Each works for some days and some accounts. You can revoke it earlier.",
  all: "Invitations of all users",
  days: "Works for",
  dayChoices: { "1": "1 day", "7": "7 days", "30": "30 days", "90": "90 days" },
  uses: "Accounts at most",
  make: "Make an invitation",
  link: (code: string) => `Link of ${code}`,
  by: (name: string) => `by ${name}`,
  used: (uses: number, most: number) => `${uses} of ${plural(most, "account", "accounts")}`,
  until: (time: string) => `until ${time}`,
  states: { open: "Open", revoked: "Revoked", used_up: "Used up", expired: "Expired" },
  revoke: "Revoke",
  none: "No invitations yet.",
};
