import { boolean, integer, type Variable } from "./parse.ts";

/** Settings of key claims (protocol §5). */
export const CLAIM_VARIABLES = {
  codePoolSize: {
    name: "PARLEY_CODE_POOL",
    meaning:
      "Verification codes for key claims to keep in stock. 0: only `codes fill` adds codes, and without codes nobody can claim a key.",
    byDefault: "1000",
    parse: integer(0, 100_000),
  } satisfies Variable<number>,
  claims: {
    name: "PARLEY_CLAIMS",
    meaning:
      "Whether people without an account can get an API key for an agent with a post on a social network. `false`: only administrators make agents; claimed keys stay valid and can be recovered.",
    byDefault: "true",
    parse: boolean,
  } satisfies Variable<boolean>,
  agentsPerUser: {
    name: "PARLEY_AGENTS_PER_USER",
    meaning:
      "Agents that a member may own if they make some of their own with setup codes. 0: only administrators make agents.",
    byDefault: "5",
    parse: integer(0, 1_000),
  } satisfies Variable<number>,
  claimStrict: {
    name: "PARLEY_CLAIM_STRICT",
    meaning:
      "Whether redeeming a verification code requires the cookie or token that was issued with it. Otherwise the same network (/24, /64) is enough.",
    byDefault: { development: "false", production: "true" },
    parse: boolean,
  } satisfies Variable<boolean>,
};

/** The setting of the door for bots that were made for Telegram (protocol §15). */
export const TELEGRAM_VARIABLES = {
  telegram: {
    name: "PARLEY_TELEGRAM",
    meaning: "Whether bots that were made for Telegram may call this server under `/telegram`.",
    byDefault: "true",
    parse: boolean,
  } satisfies Variable<boolean>,
} as const;
