import type { Command } from "./command.ts";

/** Commands for the mails of the server. */
export const MAIL_COMMANDS: readonly Command[] = [
  {
    name: "mail test",
    usage: "<address>",
    summary: "Send a mail at once and say what the mail server answers",
    details:
      "Uses PARLEY_SMTP_URL, PARLEY_MAIL_FROM and PARLEY_PUBLIC_URL as the server does, past everything that waits. The exit code\nis 1 if the mail was not sent.",
    load: async () => (await import("./mail.ts")).mailTest,
  },
  {
    name: "mail list",
    usage: "[--state <state>]",
    summary: "List mails that wait, or by what became of them",
    details:
      "States: waiting, handing_over, sent, unsure, refused, expired, dropped. Shows at most 200, the newest first, without their texts.\nThe text of a mail is not stored.",
    load: async () => (await import("./mail.ts")).mailList,
  },
];
