import { type Static, Type } from "typebox";
import { ActorKind } from "./records.ts";
import { answer, HumanText, record, Timestamp } from "./values.ts";

/** A user or agent whom the caller has blocked (protocol §2). */
export const Block = record("Block", "A user or agent whom the caller has blocked.", {
  kind: ActorKind,
  name: Type.String(),
  created_at: Timestamp,
});
export type Block = Static<typeof Block>;

/** /api/blocks/:name */
export const BlockParams = Type.Object({
  name: Type.String({ description: "The name of a user or agent, in any case." }),
});
export type BlockParams = Static<typeof BlockParams>;

/** Answer of GET /api/blocks, by name. There are at most 1,000. */
export const BlocksAnswer = answer({ blocks: Type.Array(Block) });
export type BlocksAnswer = Static<typeof BlocksAnswer>;

/** Answer of PUT /api/blocks/:name. */
export const BlockAnswer = answer({ message: HumanText, block: Block });
export type BlockAnswer = Static<typeof BlockAnswer>;

/** Answer of DELETE /api/blocks/:name, also if there was no block. */
export const UnblockAnswer = answer({ message: HumanText, name: Type.String() });
export type UnblockAnswer = Static<typeof UnblockAnswer>;
