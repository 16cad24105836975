import type { AppContext } from "./context.ts";
import type { ErasingStep } from "./erasure.ts";
import type { Route } from "./http/route.ts";
import type { ExportPart } from "./user-export.ts";

/** What a feature gives to the server. Its folder exports one value of this type, and modules.ts lists them. */
export interface Module {
  /** The feature's name, which no other module has. */
  readonly name: string;
  /** The routes of HTTP. A function, if they describe or call those of all modules; it is called with the whole list. */
  readonly routes?: readonly Route[] | ((all: readonly Module[]) => readonly Route[]);
  /** The steps that remove a deleted account's data, by names that are stored (privacy/steps.ts has their order). */
  readonly erase?: Readonly<Record<string, ErasingStep>>;
  /** Lists of the copy of a user's data, by the names of their fields. */
  readonly exports?: Readonly<Record<string, ExportPart>>;
  /** Registers hooks and ports, without I/O. It runs for all modules before any of them starts. */
  register?(ctx: AppContext, all: readonly Module[]): void;
  /**
   * Starts the feature's jobs, which end with `ctx.onClose`. A module that needs another one's result awaits it by name
   * (`loadedChains`): the order of the list means nothing.
   */
  start?(ctx: AppContext): void | Promise<void>;
}

/** Returns every route of the modules. */
export const routesOf = (all: readonly Module[]): readonly Route[] =>
  all.flatMap(({ routes = [] }) => (typeof routes === "function" ? routes(all) : routes));
