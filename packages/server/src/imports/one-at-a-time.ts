import type { AppContext } from "../context.ts";
import { doAlone, WorkTaken } from "../db/sole-work.ts";
import { listImports } from "./imports.store.ts";

/** The import cannot be written, opened or undone now. The message is for the person at the terminal. */
export class ImportRefused extends Error {}

/**
 * Works on imports while no other process does. Throws `ImportRefused` if one does; a process that has died does not.
 */
export async function oneAtATime<T>(ctx: AppContext, act: () => Promise<T>): Promise<T> {
  const { database } = ctx.config;
  const path = database.kind === "sqlite" ? database.path : null;
  try {
    return await doAlone(ctx.db, { name: "import", path }, act);
  } catch (error) {
    if (error instanceof WorkTaken) throw new ImportRefused(await whoWorks(ctx));
    throw error;
  }
}

async function whoWorks(ctx: AppContext): Promise<string> {
  const active = (await listImports(ctx.db)).find(({ status }) => status === "writing" || status === "undoing");
  const which = active === undefined ? "an import" : `import ${active.id} (${active.workspace})`;
  return `Another process works on ${which}. Wait until it has ended.`;
}
