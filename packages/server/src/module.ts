import type { Config } from "./config/config.ts";
import type { AppContext } from "./context.ts";
import type { DatabaseFacts } from "./db/inspect.ts";
import type { ErasingStep } from "./erasure.ts";
import type { Route } from "./http/route.ts";
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
  /** The routes of HTTP. A function, if they describe or call those of all modules; it is called with the whole list. */
  readonly routes?: readonly Route[] | ((all: readonly Module[]) => readonly Route[]);
  /** The subjects of the tags of its routes, in the documents. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly guide?: readonly GuidePage[];
  /** The steps that remove a deleted account's data, by names that are stored (privacy/steps.ts has their order). */
  readonly erase?: Readonly<Record<string, ErasingStep>>;
  /** Lists of the copy of a user's data, by the names of their fields. */
  readonly exports?: Readonly<Record<string, ExportPart>>;
  /** Its checks for `parley doctor`. */
  readonly doctor?: readonly DoctorCheck[];
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

/** Returns the subjects of all tags, in the order in which readers need them. */
export const tagsOf = (all: readonly Module[]): Readonly<Record<string, string>> =>
  Object.assign({}, ...all.map(({ tags }) => tags));

/** Returns all pages of the guide. */
export const guideOf = (all: readonly Module[]): readonly GuidePage[] => all.flatMap(({ guide = [] }) => guide);
