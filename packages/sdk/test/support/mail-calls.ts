import type { ParleyClient } from "../../src/client.ts";
import type { RequestOptions } from "../../src/request-options.ts";

/** The calls of mails. */
export const mailCalls = ({ mail }: ParleyClient): Record<string, (options: RequestOptions) => Promise<unknown>> => ({
  "mail.own": (options) => mail.own(options),
  "mail.health": (options) => mail.health(options),
  "mail.unsubscribe": (options) => mail.unsubscribe("A".repeat(43), options),
  "mail.confirm": (options) => mail.confirm("token", options),
  "mail.askForConfirmation": (options) => mail.askForConfirmation(options),
  "mail.forgotPassword": (options) => mail.forgotPassword("ann", options),
  "mail.invite": (options) => mail.invite({ email: "eve@example.org" }, options),
});
