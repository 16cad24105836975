import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Messages that have, or had, buttons of a bot (protocol §15.6). */
export interface MenusTable {
  message_id: number;
  channel_id: number;
  agent_id: number;
  agent_name: string;
  /** 0: the buttons are gone. */
  is_live: 0 | 1;
}

/** Presses of menus, by the item of the inbox that reports them. */
export interface MenuPressesTable {
  item_id: number;
  message_id: number;
  channel_id: number;
  agent_id: number;
  agent_name: string;
  /** null: the account was erased. */
  user_id: number | null;
  action_id: string;
  /** The value that the button sends to the bot. */
  choice: string;
  created_at: Millis;
  /** A press is answered once. */
  answered_at: Millis | null;
}

/** Messages that show or remove a keyboard which somebody may still see (protocol §15.6). */
export interface KeyboardsTable {
  message_id: number;
  channel_id: number;
  agent_name: string;
}

export const dataClasses: DataClasses = {
  menus: { erased: { keep: "message_id channel_id agent_id agent_name is_live" }, purged: "delete" },
  keyboards: { erased: { keep: "message_id channel_id agent_name" }, purged: "delete" },
  menu_presses: {
    erased: {
      null: "user_id",
      keep: "item_id message_id channel_id agent_id agent_name action_id choice created_at answered_at",
    },
    purged: "keep",
  },
};
