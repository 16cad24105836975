import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The kinds of mail (protocol §17). */
export type MailKind = "confirm_address" | "reset_password" | "invitation" | "security_notice" | "digest";

/** The outbox. A row has no text of the mail and no token: both are made when it is sent. */
export interface MailsTable {
  id: Generated<number>;
  /** The user whom the mail is for or about; null: nobody with an account. */
  user_id: number | null;
  /** Where it goes; null: to the address that the user has confirmed, as it is then. */
  address: string | null;
  kind: MailKind;
  /** JSON, what the text is made from. */
  parameters: string;
  /** The epoch of the data in which the mail was asked for. After a restore it is another one, and the mail is not sent. */
  epoch: string;
  /**
   * `handing_over`: the mail server may have it. `unsure`: nobody answered whether it does. `refused`: for good.
   * `expired`: no server took it in time. `dropped`: it was not to be sent any more.
   */
  state: "waiting" | "handing_over" | "sent" | "unsure" | "refused" | "expired" | "dropped";
  due_at: Millis;
  /** No try begins after it. */
  expires_at: Millis;
  tries: Generated<number>;
  /** Until then one node has it. */
  claimed_until: Generated<Millis>;
  /** The header Message-ID, the same for every try. */
  message_id: string;
  /** Why the last try failed, or why it was not sent. */
  reason: string | null;
  created_at: Millis;
  ended_at: Millis | null;
}

/** What was sent to an address, of all accounts and kinds together. */
export interface MailAddressesTable {
  /** SHA-256 of the address's key (accounts/addresses/address-key.ts). */
  address_hash: string;
  /** JSON: the times of the newest mails, at most as many as a day may have. */
  sent_at: string;
  /** Permanent refusals in a row. */
  refusals: Generated<number>;
  /** When mails to the address were stopped, after too many refusals. Its user starts them again by confirming it. */
  stopped_at: Millis | null;
  updated_at: Millis;
}

/** Addresses that accounts have confirmed, one for each account and one account for each. */
export interface ConfirmedAddressesTable {
  user_id: number;
  /** It counts only if the account's address has this key (accounts/addresses/address-key.ts). */
  address_key: string;
  confirmed_at: Millis;
}

/** The newest link of an account that confirms its address. */
export interface AddressLinksTable {
  user_id: number;
  /** SHA-256 of the link's token, hex. */
  token_hash: string;
  address_key: string;
  expires_at: Millis;
}

export interface MailTables {
  mails: MailsTable;
  mail_addresses: MailAddressesTable;
  confirmed_addresses: ConfirmedAddressesTable;
  address_links: AddressLinksTable;
}

export const dataClasses: DataClasses = {
  mails: {
    erased: {
      delete: "user_id",
      keep: "id address kind parameters epoch state due_at expires_at tries claimed_until message_id reason created_at ended_at",
    },
    purged: "keep",
  },
  mail_addresses: { erased: { keep: "address_hash sent_at refusals stopped_at updated_at" } },
  confirmed_addresses: { erased: { delete: "user_id", keep: "address_key confirmed_at" } },
  address_links: { erased: { delete: "user_id", keep: "token_hash address_key expires_at" } },
};
