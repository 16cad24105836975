import { fillPool, poolStatus } from "../key-claims/code-pool.ts";
import { CommandError, type Invocation, print, UsageError } from "./command.ts";
import { openTool } from "./tool.ts";

const MOST = 100_000;

export async function codesFill(call: Invocation): Promise<number> {
  const count = Number(call.positionals[0]);
  if (!Number.isInteger(count) || count < 1 || count > MOST)
    throw new UsageError(`<count> must be an integer from 1 to ${MOST}.`);
  await using tool = await openTool(call);
  const added = await fillPool(tool.ctx, count);
  if (added < count) throw new CommandError(`Only ${added} codes could be added; try again.`);
  const status = await poolStatus(tool.ctx);
  print(call, { added, ...status }, `${added} codes added; ${status.waiting} wait to be given out.`);
  return 0;
}

export async function codesStatus(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  const { waiting, open, used, expired } = await poolStatus(tool.ctx);
  const size = tool.config.codePoolSize;
  const lines = [
    `${waiting} wait to be given out${size === 0 ? "" : `, of ${size} that a server keeps`}`,
    `${open} were given out and can be redeemed`,
    `${used} were used and ${expired} expired, of those that are remembered for a day`,
  ];
  print(call, { waiting, open, used, expired, pool_size: size }, lines.join("\n"));
  return 0;
}
