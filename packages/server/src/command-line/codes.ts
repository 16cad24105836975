import { fillPool, poolStatus } from "../key-claims/code-pool.ts";
import { CommandError, type Invocation, print, UsageError } from "./command.ts";
import { openTool, openWritingTool } from "./tool.ts";

const MOST = 100_000;

export async function codesFill(call: Invocation): Promise<number> {
  const count = Number(call.positionals[0]);
  if (!Number.isInteger(count) || count < 1 || count > MOST)
    throw new UsageError(`<count> must be an integer from 1 to ${MOST}.`);
  await using tool = await openWritingTool(call);
  const added = await fillPool(tool.ctx, count);
  if (added < count) throw new CommandError(`Only ${added} codes could be added; try again.`);
  const status = await poolStatus(tool.ctx);
  print(call, { added, ...status }, `${added} codes added; ${status.waiting} are in stock.`);
  return 0;
}

export async function codesStatus(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  const { waiting, open, used, expired } = await poolStatus(tool.ctx);
  const size = tool.config.codePoolSize;
  const lines = [
    `${waiting} in stock${size === 0 ? "" : `; a server keeps ${size}`}`,
    `${open} issued and redeemable`,
    `${used} used and ${expired} expired in the last day`,
  ];
  print(call, { waiting, open, used, expired, pool_size: size }, lines.join("\n"));
  return 0;
}
