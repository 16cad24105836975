import type { Millis } from "../../../db/columns.ts";
import type { SourceUser } from "../../source.ts";
import type { Layout } from "./layout.ts";
import type { ZulipIndex } from "./zulip-index.ts";
import type { Realm } from "./zulip-realm.ts";

/** The state of the reading of messages. */
export interface Reading {
  readonly layout: Layout;
  readonly realm: Realm;
  readonly index: ZulipIndex;
  readonly now: Millis;
  /** People and bots who write messages, and are in no list. */
  readonly strangers: Map<string, SourceUser>;
}
