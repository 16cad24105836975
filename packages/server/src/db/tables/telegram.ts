import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The ids of agents' names in the Telegram door, and what a bot has set there (protocol §15). */
export interface TelegramBotsTable {
  id: Generated<number>;
  name_key: string;
  /** What it says of itself, as JSON: names and descriptions, by language. */
  settings: string | null;
  /** The last offset above every item of the bot: a repetition of it confirms nothing; null: none. */
  stale_offset: number | null;
  /** Where its updates go; null: it asks for them. */
  webhook_url: string | null;
  /** The key that set it: the webhook ends with it. */
  webhook_key: string | null;
  /** In plain text, because it is sent. */
  webhook_secret: string | null;
  /** A node that sends to it has it until then. */
  webhook_claimed_until: Generated<Millis>;
  /** The next try after a failure. */
  webhook_due_at: Generated<Millis>;
  /** Failures since the last success. */
  webhook_failures: Generated<number>;
  webhook_error: string | null;
  webhook_error_at: Millis | null;
  /** The kinds of updates that it wants, as JSON; null: the default set. */
  allowed_updates: string | null;
}

export const dataClasses: DataClasses = {
  telegram_bots: {
    erased: {
      keep: `id name_key settings stale_offset webhook_url webhook_key webhook_secret webhook_claimed_until webhook_due_at webhook_failures
      webhook_error webhook_error_at allowed_updates`,
    },
  },
};
