import type { Connection } from "../../shared/src/connect.ts";
import { Ending } from "../../shared/src/ending.ts";
import type { StateFolder } from "../../shared/src/state-folder.ts";
import type { Output } from "./run.ts";

const LOCK = "lock";
/** The other program on this machine has this time to end its turns. */
const LEAVE_MS = 15_000;
const LOOK_MS = 100;

/**
 * Makes this program the only reader of the agent's inbox: the server tells another one, on this machine or elsewhere, that a
 * newer one has begun, and it ends. Returns the name under which this one reads.
 */
export async function takeOver(
  { client, me }: Connection,
  folder: StateFolder,
  { say, signal }: Output,
): Promise<string> {
  // Without an owner nobody could be asked, and nobody could give it work.
  if (me.owner?.verified !== true)
    throw new Ending(
      "This agent has no verified owner, so nobody could give it work or permissions. An administrator names one: parley setup code --agent <name> --owner <username>",
    );
  const { reader = "" } = await client.calls.inbox({ reader: "new", agent_name: client.name, limit: 1 }, { signal });
  const since = Date.now();
  for (let holder = folder.lock(LOCK), isSaid = false; holder !== null; holder = folder.lock(LOCK)) {
    if (!isSaid) say(`Waiting for the program with the id ${holder} to end ...`);
    isSaid = true;
    signal.throwIfAborted();
    // It no longer reads the inbox. If it is stuck, it must not keep this one from working.
    if (Date.now() - since > LEAVE_MS) folder.breakLock(LOCK);
    else await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return reader;
}
