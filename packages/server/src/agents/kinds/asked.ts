import { AskedKind } from "@parley/protocol/inbox";
import type { ItemKind } from "../../messages/inbox/inbox-rows.ts";

const ASKED: readonly ItemKind[] = AskedKind.enum;

/** True for an item of a kind that is made only for agents that asked. */
export const isAsked = ({ kind }: { kind: ItemKind }): boolean => ASKED.includes(kind);
