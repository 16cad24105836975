import type { Config } from "./config/config.ts";
import type { AppContext } from "./context.ts";
import type { Db } from "./db/db.ts";
import type { DatabaseFacts } from "./db/inspect.ts";
import { StartupError } from "./db/startup-error.ts";
import type { ErasingStep } from "./erasure.ts";
import type { Route } from "./http/route.ts";
import { withoutPayments } from "./http/without-payments.ts";
import type { OverdueStep } from "./overdue.ts";
import type { ExportPart } from "./user-export.ts";

/** A finding of `parley doctor`. */
export interface Finding {
  check: string;
  state: "ok" | "advice" | "problem";
  /** What was found and, unless it is fine, what to do. */
  text: string;
}

/**
 * Checks what the feature needs, and changes nothing. `facts` is an Error if the database could not be read, null if it
 * does not exist yet.
 */
export type DoctorCheck = (config: Config, facts: DatabaseFacts | Error | null) => Promise<Finding[]>;

/** A page of the documentation that the server serves at `/guide/<name>.md`. */
export interface GuidePage {
  readonly name: string;
  /** Its file in the repository, from which its links are resolved; `docs/guide/<name>.md` if absent. */
  readonly source?: string;
  /** The subject of the page, for an agent's author. */
  readonly about: string;
  /** `agents`: in llms.txt and llms-full.txt. `reference`: in llms.txt. `more`: in the optional part of llms.txt. */
  readonly part: "agents" | "reference" | "more";
  /** Loads the text, which nobody needs before the first request. */
  text(): Promise<{ readonly default: string }>;
}

/** The parts that a feature gives to the server. Its folder exports one value of this type, and modules.ts lists them. */
export interface Module {
  /** The feature's name, which no other module has. */
  readonly name: string;
  /**
   * It is a part of value: chains, wallets, payments, red packets and payouts. With `PARLEY_VALUE=off` it gives only what
   * concerns stored data: `erase`, `exports`, `doctor` and `openWork`.
   */
  readonly isValue?: true;
  /** The routes of HTTP. A function, if they describe or call those of all modules; it is called with the whole list. */
  readonly routes?: readonly Route[] | ((all: readonly Module[]) => readonly Route[]);
  /**
   * Routes of protocols that are not Parley's own. Their bodies and errors have other shapes, so the documents and the
   * tests of all routes leave them out.
   */
  readonly doors?: readonly Route[];
  /** The subjects of the tags of its routes, in the documents. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly guide?: readonly GuidePage[];
  /** The steps that remove a deleted account's data, by names that are stored (privacy/steps.ts has their order). */
  readonly erase?: Readonly<Record<string, ErasingStep>>;
  /** Lists of the copy of a user's data, by the names of their fields. */
  readonly exports?: Readonly<Record<string, ExportPart>>;
  /** The steps by which a restore ends what was due before, so that nothing is sent a second time. */
  readonly overdue?: readonly OverdueStep[];
  /** Its checks for `parley doctor`. */
  readonly doctor?: readonly DoctorCheck[];
  /**
   * Returns what a part of value has not finished, in words such as `2 red packets are open`: it must not be switched off
   * now. `now` is epoch milliseconds.
   */
  openWork?(db: Db, now: number): Promise<readonly string[]>;
  /** Registers hooks and ports, without I/O. It runs for all modules before any of them starts. */
  register?(ctx: AppContext, all: readonly Module[]): void;
  /**
   * Starts the feature's jobs, which end with `ctx.onClose`. A module that needs another one's result awaits it by name
   * (`loadedChains`): the order of the list means nothing.
   */
  start?(ctx: AppContext): void | Promise<void>;
}

const routesAmong = (all: readonly Module[], { routes = [] }: Module): readonly Route[] =>
  typeof routes === "function" ? routes(all) : routes;

/** Returns every route of the modules. */
export const routesOf = (all: readonly Module[]): readonly Route[] => all.flatMap((module) => routesAmong(all, module));

/** Returns the routes of foreign protocols. */
export const doorsOf = (all: readonly Module[]): readonly Route[] => all.flatMap(({ doors = [] }) => doors);

/** Returns the subjects of all tags, in the order in which readers need them. */
export const tagsOf = (all: readonly Module[]): Readonly<Record<string, string>> =>
  Object.assign({}, ...all.map(({ tags }) => tags));

/** Returns the steps that a restore takes. No order among them matters. */
export const overdueStepsOf = (all: readonly Module[]): readonly OverdueStep[] =>
  all.flatMap(({ overdue = [] }) => overdue);

/** Returns all pages of the guide. */
export const guideOf = (all: readonly Module[]): readonly GuidePage[] => all.flatMap(({ guide = [] }) => guide);

/** Returns the modules with what they give under these settings: without value, no other route names a payment, either. */
export function modulesFor({ value }: Pick<Config, "value">, all: readonly Module[]): readonly Module[] {
  if (value === "on") return all;
  return all.map((module) => {
    if (module.isValue !== true)
      return { ...module, routes: (among) => routesAmong(among, module).map(withoutPayments) };
    const { name, erase = {}, exports = {}, doctor = [], openWork } = module;
    return { name, isValue: true, erase, exports, doctor, ...(openWork === undefined ? {} : { openWork }) };
  });
}

/** Returns what the modules have not finished, in words. */
export async function openWorkOf(all: readonly Module[], db: Db, now: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { openWork } of all) if (openWork !== undefined) found.push(...(await openWork(db, now)));
  return found;
}

/**
 * Refuses to run without value while something of it is unfinished.
 * @throws StartupError
 */
export async function refuseOpenWork(all: readonly Module[], db: Db, now: number): Promise<void> {
  const found = await openWorkOf(all, db, now);
  if (found.length === 0) return;
  throw new StartupError(
    `PARLEY_VALUE is off, but ${found.join(", ")}. Start with PARLEY_VALUE=on until all of it is finished; docs/guide/deployment.md, "Without payments and red packets", says how.`,
  );
}
