import { ACCOUNT_RATES } from "./account-rates.ts";
import { AGENT_RATES } from "./agent-rates.ts";
import { HERE_RATES } from "./here.ts";
import { INVITATION_RATES } from "./invitation-rates.ts";
import { MAIL_RATES } from "./mail-rates.ts";
import { OIDC_RATES } from "./oidc-rates.ts";
import { POLL_RATES } from "./poll-rates.ts";
import { SETUP_RATES } from "./setup-rates.ts";
import { WEBHOOK_RATES } from "./webhook-rates.ts";

/** Joins two tables of rates. A spread would keep the rates in the page's scripts, which do not use them. */
export const merged = <A, B>(one: A, other: B): A & B => ({ ...one, ...other });

/** The rates that have files of their own, part of `RATES`. */
export const RATE_PARTS = /* @__PURE__ */ merged(
  /* @__PURE__ */ merged(
    /* @__PURE__ */ merged(AGENT_RATES, OIDC_RATES),
    /* @__PURE__ */ merged(ACCOUNT_RATES, /* @__PURE__ */ merged(SETUP_RATES, MAIL_RATES)),
  ),
  /* @__PURE__ */ merged(
    /* @__PURE__ */ merged(INVITATION_RATES, HERE_RATES),
    /* @__PURE__ */ merged(WEBHOOK_RATES, POLL_RATES),
  ),
);
