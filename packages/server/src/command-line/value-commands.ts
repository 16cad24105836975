import type { Command } from "./command.ts";

/** Commands for payments, red packets and payouts, which `PARLEY_VALUE=off` takes away. */
export const VALUE_COMMANDS: readonly Command[] = [
  {
    name: "paid add",
    usage:
      "<slug> --amount <digits> --file <file> [--currency <symbol>] [--chain evm|solana] [--type <media type>] [--description <text>]",
    summary: "Put a file up for sale under /api/paid/<slug>",
    details:
      "--amount is in the smallest unit of the currency, which is the chain's native coin or an allowed token. --chain is evm by\ndefault. --type sets the media type if the file's extension does not. --description is shown with the price. Works beside a\nrunning server.",
    load: async () => (await import("./payments.ts")).paidAdd,
  },
  {
    name: "paid list",
    usage: "",
    summary: "List what is for sale",
    details: "Shows each resource with its price and the number of payments.",
    load: async () => (await import("./payments.ts")).paidList,
  },
  {
    name: "paid remove",
    usage: "<slug>",
    summary: "Take something off sale",
    details: "Takes effect at once, also beside a running server. Buyers can still fetch the resource for a day.",
    load: async () => (await import("./payments.ts")).paidRemove,
  },
  {
    name: "payments list",
    usage: "[--state <state>] [--resource <path>] [--user <username>] [--limit <count>]",
    summary: "Show payments: granted, revoked, and refused with the reason; and their sums",
    details:
      "Shows the newest 50, newest first, or as many as --limit says (at most 200), then the sums of granted payments by coin and wallet.",
    load: async () => (await import("./payments.ts")).paymentsList,
  },
  {
    name: "packet verify",
    usage: "<url or file>",
    summary: "Check that a closed red packet was split as promised",
    details:
      "Takes the response of GET /api/red-packets/:packet_id, from its URL or from a file, and computes the shares again from the\nseed alone. The exit code is 1 if they differ. /guide/red-packets of the server describes the algorithm.",
    load: async () => (await import("./packets.ts")).packetVerify,
  },
  {
    name: "payouts list",
    usage: "[--open] [--state <state>] [--limit <count>]",
    summary: "Show the payouts on chains: owed, on their way, paid and failed",
    details: "Shows the newest 50, newest last, or as many as --limit says (at most 200).",
    load: async () => (await import("./payouts.ts")).payoutsList,
  },
  {
    name: "payouts stop",
    usage: "",
    summary: "Stop payouts on chains until they are resumed",
    details:
      "Within 2 seconds, running servers stop signing and sending. Payouts that were sent are still tracked; the others wait.",
    load: async () => (await import("./payouts.ts")).payoutsStop,
  },
  {
    name: "payouts resume",
    usage: "",
    summary: "Resume payouts after a stop or a restore of the database",
    details:
      "After a restore, first compare the payouts with the chain. Payouts that the backup still owes are paid again, unless they\nwere recorded with parley payouts paid.",
    load: async () => (await import("./payouts.ts")).payoutsResume,
  },
  {
    name: "payouts paid",
    usage: "<payout_id> <tx_hash>",
    summary: "Record that a payout was paid by a transaction this database does not know",
    details:
      "For a database that was restored from a backup. Payouts must still be stopped. The command checks on the chain that the\ntransaction is final and moved exactly this amount from the treasury to the recipient. A transaction can pay only one payout.",
    load: async () => (await import("./payouts.ts")).payoutsPaid,
  },
  {
    name: "payouts reconcile",
    usage: "",
    summary: "Compare payouts, ledger and the wallets on the chains",
    details: "Changes nothing. The exit code is 1 if they do not agree.",
    load: async () => (await import("./payouts.ts")).payoutsReconcile,
  },
];
