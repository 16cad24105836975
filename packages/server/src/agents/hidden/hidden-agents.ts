import { bindHeldName, freeHeldNames, holdAgain, holdName } from "../../accounts/names/held-names.ts";
import { nameKey } from "../../accounts/names/names.ts";
import { freeUsername } from "../../accounts/oidc/username.ts";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { insertAgent } from "../keys/keys.store.ts";
import { deleteAgents, pauseAgent } from "./hidden.store.ts";

/** The free name that was found may be taken meanwhile. */
const TRIES = 5;

/**
 * Makes a paused agent without key or owner, in the caller's transaction. Its name is held until `showAgent`. Returns its
 * id and name.
 */
export async function makeHiddenAgent(ctx: AppContext, handle: string): Promise<{ id: number; name: string }> {
  for (let tries = 1; ; tries += 1) {
    const name = await freeUsername(ctx, handle);
    if (await holdName(ctx.db, name)) {
      const id = await insertAgent(ctx.db, null, false, ctx.clock.now());
      await pauseAgent(ctx.db, id);
      return { id, name };
    }
    if (tries === TRIES) throw new Error("No free name for an agent was found.");
  }
}

/** Gives a hidden agent the name that is held for it. */
export const showAgent = (db: Db, { id, name }: { id: number; name: string }): Promise<void> =>
  bindHeldName(db, name, id);

/** Takes the name from an agent and holds it. */
export const hideAgent = (db: Db, id: number): Promise<void> => holdAgain(db, id);

/** Deletes hidden agents and frees their names. */
export async function deleteHiddenAgents(db: Db, agents: readonly { id: number; name: string }[]): Promise<void> {
  await freeHeldNames(
    db,
    agents.map(({ name }) => nameKey(name)),
  );
  await deleteAgents(
    db,
    agents.map(({ id }) => id),
  );
}
