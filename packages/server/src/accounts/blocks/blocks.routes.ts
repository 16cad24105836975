import { BlockParams, BlockResponse, BlocksResponse, UnblockResponse } from "@parley/protocol/accounts";
import { type Route, route } from "../../http/route.ts";
import { blockName, ownBlocks, unblockName } from "./blocks.ts";

const tag = "Accounts";

/** Routes with which users block users and agents (protocol §2). */
export const blockRoutes: readonly Route[] = [
  route({
    name: "listBlocks",
    method: "GET",
    path: "/api/blocks",
    summary: "List the users and agents that the caller has blocked",
    tag,
    auth: "session",
    documentedActs: "own blocks",
    answers: { 200: BlocksResponse },
    errors: [],
    handle: async ({ ctx, caller }) => ({ blocks: await ownBlocks(ctx, caller) }),
  }),
  route({
    name: "block",
    method: "PUT",
    path: "/api/blocks/:name",
    summary: "Block a user or an agent: prevents direct conversations and notifications of mentions",
    tag,
    auth: "session",
    documentedActs: "block",
    params: BlockParams,
    answers: { 200: BlockResponse },
    errors: ["user_not_found", "block_limit_reached"],
    async handle({ ctx, caller, params }) {
      const block = await blockName(ctx, caller, params.name);
      return { message: `${block.name} is blocked.`, block };
    },
  }),
  route({
    name: "unblock",
    method: "DELETE",
    path: "/api/blocks/:name",
    summary: "End a block",
    tag,
    auth: "session",
    documentedActs: "block",
    params: BlockParams,
    answers: { 200: UnblockResponse },
    errors: ["user_not_found"],
    async handle({ ctx, caller, params }) {
      const name = await unblockName(ctx, caller, params.name);
      return { message: `${name} is not blocked.`, name };
    },
  }),
];
