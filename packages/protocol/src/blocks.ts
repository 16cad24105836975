import { type Static, Type } from "typebox";
import { ActorKind } from "./models.ts";
import { HumanText, model, response, Timestamp } from "./values.ts";

/** A user or agent whom the caller has blocked (protocol §2). */
export const Block = model("Block", "A user or agent whom the caller has blocked.", {
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

/** Response of GET /api/blocks, by name. There are at most 1,000. */
export const BlocksResponse = response({ blocks: Type.Array(Block) });
export type BlocksResponse = Static<typeof BlocksResponse>;

/** Response of PUT /api/blocks/:name. */
export const BlockResponse = response({ message: HumanText, block: Block });
export type BlockResponse = Static<typeof BlockResponse>;

/** Response of DELETE /api/blocks/:name, also if there was no block. */
export const UnblockResponse = response({ message: HumanText, name: Type.String() });
export type UnblockResponse = Static<typeof UnblockResponse>;
