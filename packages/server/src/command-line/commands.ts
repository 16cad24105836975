import type { Command } from "./command.ts";
import { DATA_COMMANDS } from "./data-commands.ts";
import { USER_COMMANDS } from "./user-commands.ts";

/** Every command, in the order of the help text (protocol §10). */
export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    usage: "",
    summary: "Start the server",
    details:
      "Listens for HTTP and WebSocket on one port. On SIGTERM or SIGINT it finishes open requests and stops.\nSettings come from the environment: PORT, HOST, PARLEY_PROFILE, PARLEY_DATA_DIR, DATABASE_URL and others.",
    load: async () => (await import("./serve.ts")).serve,
  },
  ...USER_COMMANDS,
  {
    name: "audit",
    usage: "[--limit <count>] [--actor <name>] [--action <action>] [--subject <kind:id>]",
    summary: "Show administrative acts, including those at the command line",
    details:
      "Shows the newest 50 entries, newest last, or as many as --limit says. The options filter by actor, action and subject.",
    options: {
      limit: { type: "string" },
      actor: { type: "string" },
      action: { type: "string" },
      subject: { type: "string" },
    },
    json: true,
    load: async () => (await import("./audit.ts")).auditLog,
  },
  {
    name: "key issue",
    usage: "--agent <name> [--owner <username>] [--scopes <list>] [--channels <slugs>] [--expires <time>]",
    summary: "Create an agent with an API key",
    details:
      "The name is bound to the new agent at once. The key is shown only once; the server stores only its hash. --scopes (read,send,react,cards,pay,inbox) and --channels limit what it may do and where; --expires takes a date or a number of days, as in 30d.",
    options: {
      agent: { type: "string" },
      owner: { type: "string" },
      scopes: { type: "string" },
      channels: { type: "string" },
      expires: { type: "string" },
    },
    json: true,
    load: async () => (await import("./keys.ts")).keyIssue,
  },
  {
    name: "key list",
    usage: "",
    summary: "List the API keys",
    details: "Shows all keys, including revoked ones, without their secrets.",
    json: true,
    load: async () => (await import("./keys.ts")).keyList,
  },
  {
    name: "key revoke",
    usage: "<key_id>",
    summary: "Revoke an API key",
    details: "A running server refuses it within 2 seconds and closes its open streams.",
    positionals: ["key_id"],
    json: true,
    load: async () => (await import("./keys.ts")).keyRevoke,
  },
  {
    name: "agent list",
    usage: "",
    summary: "List the agents",
    details:
      "Shows all agents with their names, owners, keys, channels and messages. Keys are shown without their secrets.",
    json: true,
    load: async () => (await import("./agents.ts")).agentList,
  },
  {
    name: "agent pause",
    usage: "<agent_id>",
    summary: "Refuse an agent's keys until it is resumed",
    details:
      "A running server refuses them within 2 seconds and removes the agent from the online lists. Its owner cannot end this pause.",
    positionals: ["agent_id"],
    json: true,
    load: async () => (await import("./agents.ts")).agentPause,
  },
  {
    name: "agent resume",
    usage: "<agent_id>",
    summary: "Resume a paused agent",
    details: "Ends any pause, including one made by the agent's owner.",
    positionals: ["agent_id"],
    json: true,
    load: async () => (await import("./agents.ts")).agentResume,
  },
  {
    name: "codes fill",
    usage: "<count>",
    summary: "Add verification codes to the pool that key claims draw from",
    details:
      "A server keeps PARLEY_CODE_POOL codes in stock by itself. Use this command for a larger stock. At most 100000 at a time.",
    positionals: ["count"],
    json: true,
    load: async () => (await import("./codes.ts")).codesFill,
  },
  {
    name: "codes status",
    usage: "",
    summary: "Count the verification codes: in stock, issued, used, expired",
    details: "Shows numbers only. Only the person a code is issued to can see it.",
    json: true,
    load: async () => (await import("./codes.ts")).codesStatus,
  },
  {
    name: "paid add",
    usage:
      "<slug> --amount <digits> --file <file> [--currency <symbol>] [--chain evm|solana] [--type <media type>] [--description <text>]",
    summary: "Put a file up for sale under /api/paid/<slug>",
    details:
      "--amount is in the smallest unit of the currency, which is the chain's native coin or an allowed token. --chain is evm by\ndefault. --type sets the media type if the file's extension does not. --description is shown with the price. Works beside a\nrunning server.",
    options: {
      amount: { type: "string" },
      file: { type: "string" },
      currency: { type: "string" },
      chain: { type: "string" },
      type: { type: "string" },
      description: { type: "string" },
    },
    positionals: ["slug"],
    json: true,
    load: async () => (await import("./payments.ts")).paidAdd,
  },
  {
    name: "paid list",
    usage: "",
    summary: "List what is for sale",
    details: "Shows each resource with its price and the number of payments.",
    json: true,
    load: async () => (await import("./payments.ts")).paidList,
  },
  {
    name: "paid remove",
    usage: "<slug>",
    summary: "Take something off sale",
    details: "Takes effect at once, also beside a running server. Buyers can still fetch the resource for a day.",
    positionals: ["slug"],
    json: true,
    load: async () => (await import("./payments.ts")).paidRemove,
  },
  {
    name: "payments list",
    usage: "[--state <state>] [--resource <path>] [--user <username>] [--limit <count>]",
    summary: "Show payments: granted, revoked, and refused with the reason; and their sums",
    details:
      "Shows the newest 50, newest first, or as many as --limit says (at most 200), then the sums of granted payments by coin and wallet.",
    options: {
      state: { type: "string" },
      resource: { type: "string" },
      user: { type: "string" },
      limit: { type: "string" },
    },
    json: true,
    load: async () => (await import("./payments.ts")).paymentsList,
  },
  {
    name: "packet verify",
    usage: "<url or file>",
    summary: "Check that a closed red packet was split as promised",
    details:
      "Takes the response of GET /api/red-packets/:packet_id, from its URL or from a file, and computes the shares again from the\nseed alone. The exit code is 1 if they differ. docs/guide/red-packets.md describes the algorithm.",
    positionals: ["url or file"],
    json: true,
    load: async () => (await import("./packets.ts")).packetVerify,
  },
  {
    name: "payouts list",
    usage: "[--open] [--state <state>] [--limit <count>]",
    summary: "Show the payouts on chains: owed, on their way, paid and failed",
    details: "Shows the newest 50, newest last, or as many as --limit says (at most 200).",
    options: { open: { type: "boolean" }, state: { type: "string" }, limit: { type: "string" } },
    json: true,
    load: async () => (await import("./payouts.ts")).payoutsList,
  },
  {
    name: "payouts stop",
    usage: "",
    summary: "Stop payouts on chains until they are resumed",
    details:
      "Within 2 seconds, running servers stop signing and sending. Payouts that were sent are still tracked; the others wait.",
    json: true,
    load: async () => (await import("./payouts.ts")).payoutsStop,
  },
  {
    name: "payouts resume",
    usage: "",
    summary: "Resume payouts after a stop or a restore of the database",
    details:
      "After a restore, first compare the payouts with the chain. Payouts that the backup still owes are paid again, unless they\nwere recorded with parley payouts paid.",
    json: true,
    load: async () => (await import("./payouts.ts")).payoutsResume,
  },
  {
    name: "payouts paid",
    usage: "<payout_id> <tx_hash>",
    summary: "Record that a payout was paid by a transaction this database does not know",
    details:
      "For a database that was restored from a backup. Payouts must still be stopped. The command checks on the chain that the\ntransaction is final and moved exactly this amount from the treasury to the recipient. A transaction can pay only one payout.",
    positionals: ["payout_id", "tx_hash"],
    json: true,
    load: async () => (await import("./payouts.ts")).payoutsPaid,
  },
  {
    name: "payouts reconcile",
    usage: "",
    summary: "Compare payouts, ledger and the wallets on the chains",
    details: "Changes nothing. The exit code is 1 if they do not agree.",
    json: true,
    load: async () => (await import("./payouts.ts")).payoutsReconcile,
  },
  ...DATA_COMMANDS,
  {
    name: "version",
    usage: "",
    summary: "Print the version of this program",
    details: "The same as --version.",
    json: true,
    load: async () => (await import("./version.ts")).version,
  },
];
