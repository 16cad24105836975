import { sql } from "kysely";
import { sessionCookie, startSession } from "../../../src/accounts/sessions/sessions.ts";
import type { AppContext } from "../../../src/context.ts";
import { transact } from "../../../src/db/transact.ts";
import { beforeSlow, type SlowKind } from "../../../src/http/acts/slow.ts";
import type { AgentIdentity, UserIdentity } from "../../../src/http/identity.ts";
import { type Concerned, endingsOf, type TakenRight } from "./endings.ts";
import type { Handles } from "./objects.ts";
import type { Recipe, Sent } from "./recipe.ts";
import { isUser, type Role } from "./roles.ts";
import { during } from "./slow-call.ts";
import type { RightsWorld } from "./world.ts";

/** A call that may be made, with the credential of its caller. */
export interface Prepared {
  name: string;
  handles: Handles;
  sent: Sent;
  credential: Record<string, string>;
}

/** How the calls of one kind are made: routes, commands of the socket, or tools of MCP. */
export interface Door {
  recipesOf(name: string, role: Role): readonly Recipe[];
  /** Opens what the call needs. The function it returns calls; it returns the code of a refusal, or null. */
  open(call: Prepared): Promise<() => Promise<string | null>>;
  /** True if this answer means the same as the code: a socket may be closed before it answers. */
  isSame(answered: string | null, code: string): boolean;
}

interface WalkOptions {
  there: AppContext | null;
  isBrief: boolean;
}

/** A call that succeeded and passed something slow. */
interface SlowCall {
  recipe: Recipe;
  at: number;
  role: Role;
  kinds: readonly SlowKind[];
}

/** The roles that are tried as callers. */
const CALLERS: readonly Role[] = ["owner", "admin", "level 3", "user", "member", "added agent", "agent"];

/** Where the slow calls store, without what background work changes. */
const STORED = {
  users: ["id", "email", "password_hash", "evm_address", "sol_address", "username"],
  avatars: ["user_id", "etag"],
  sessions: ["id"],
  passkeys: ["id"],
  totp_secrets: ["user_id", "confirmed_at"],
  recovery_codes: ["user_id"],
  reset_links: ["user_id", "token_hash"],
  api_keys: ["id"],
  push_subscriptions: ["id"],
  webhooks: ["id", "url"],
  channels: ["id", "password_hash", "is_private", "topic"],
  channel_members: ["channel_id", "user_id"],
  channel_agents: ["channel_id", "agent_id"],
  files: ["id"],
  messages: ["id"],
} as const;

/**
 * Calls what may be slow in the rights table's ways. Where something slow comes between the check and the write, each
 * right that the caller needs ends meanwhile: the call is answered as if it began then, and nothing is stored.
 */
export class SlowWalk {
  readonly #world: RightsWorld;
  readonly #door: Door;
  /** The node where rights end, if it is another. */
  readonly #there: AppContext | null;
  /**
   * True: of the slow calls of one request only the last is tried, and what one caller without a place may do is not looked
   * for again with the others.
   */
  readonly #isBrief: boolean;
  readonly #calls = new Map<string, SlowCall[]>();

  constructor(world: RightsWorld, door: Door, { there = null, isBrief = false }: Partial<WalkOptions> = {}) {
    this.#world = world;
    this.#door = door;
    this.#there = there;
    this.#isBrief = isBrief;
  }

  /** Calls each by its recipes, and returns the kinds of slow calls that those of a name pass. */
  async find(names: readonly string[]): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const name of names) {
      const known = new Set<string>();
      for (const role of CALLERS)
        for (const recipe of this.#door.recipesOf(name, role))
          for (const at of recipe.on.targets.keys()) {
            const call = { recipe, at, role };
            const kind = this.#kindOf(name, call);
            if (this.#isBrief && known.has(kind)) continue;
            if (await this.#look(name, call)) known.add(kind);
          }
      const kinds = new Set(this.#calls.get(name)?.flatMap(({ kinds }) => kinds));
      if (kinds.size > 0) found[name] = [...kinds].sort().join(" ");
    }
    return found;
  }

  /** Returns whether the call succeeded and passed something slow. */
  async #look(name: string, call: Omit<SlowCall, "kinds">): Promise<boolean> {
    const kinds = new Set<SlowKind>();
    const code = await this.#as(call, name, async (made) => {
      const send = await this.#door.open(made);
      const end = beforeSlow(this.#world.ctx, async (kind) => void kinds.add(kind));
      const code = await send();
      end();
      return code;
    });
    if (code !== null) return false;
    await this.#leave(call);
    if (kinds.size > 0) this.#calls.set(name, [...(this.#calls.get(name) ?? []), { ...call, kinds: [...kinds] }]);
    return kinds.size > 0;
  }

  /** Tries every right that may end during the slow calls of this name. Returns how many refused, and what is wrong. */
  async refusals(name: string): Promise<{ refused: number; wrong: string[] }> {
    const all = { refused: 0, wrong: [] as string[] };
    for (const call of this.#differing(name)) {
      const rights = await this.#as(call, name, async (made) => endingsOf(made).map(({ name }) => name));
      for (const right of rights ?? [])
        for (const kind of this.#isBrief ? call.kinds.slice(-1) : call.kinds) {
          const wrong = await this.#trial(name, call, right, kind);
          if (wrong === "needs it not") break;
          all.refused += 1;
          const what = [call.role, call.recipe.right, call.recipe.on.targets[call.at]?.of, kind, right].join(", ");
          all.wrong.push(...wrong.map((line) => `${what}: ${line}`));
        }
    }
    return all;
  }

  /** One call of each recipe, object and caller. */
  #differing(name: string): SlowCall[] {
    const found = new Map<string, SlowCall>();
    for (const call of this.#calls.get(name) ?? []) {
      const kind = this.#kindOf(name, call);
      if (!found.has(kind)) found.set(kind, call);
    }
    return [...found.values()];
  }

  /** Names the recipe, the object and the caller. All callers without a place and a level count as one. */
  #kindOf(name: string, { recipe, role, at }: Omit<SlowCall, "kinds">): string {
    const { of, place } = recipe.on.targets[at] ?? {};
    const isAnybody = place === undefined && isUser(role) && role !== "level 3";
    return `${this.#door.recipesOf(name, role).indexOf(recipe)} ${of} ${isAnybody ? "user" : role}`;
  }

  /** `needs it not`: without the right the call succeeds, too. */
  async #trial(name: string, call: SlowCall, ending: string, kind: SlowKind): Promise<string[] | "needs it not"> {
    const code = await this.#answerWithout(name, call, ending);
    if (code == null) return "needs it not";
    const wrong = await this.#as(call, name, async (made) => {
      const right = rightOf(made, ending);
      const send = await this.#door.open(made);
      const { ctx, server } = this.#world;
      let before: string[] = [];
      const meanwhile = async () => {
        await (this.#there === null ? right.endSilently(ctx) : right.end(this.#there));
        before = await stored(ctx);
      };
      const answered = await during(server, send, meanwhile, kind);
      const more = new Set(await stored(ctx)).difference(new Set(before));
      await right.giveBack(ctx);
      if (answered === null) await this.#leave(call);
      const wrong = [...more].map((row) => `it stored ${row}`);
      return this.#door.isSame(answered, code) ? wrong : [`it answered ${answered}, not ${code}`, ...wrong];
    });
    return wrong ?? ["it was possible a moment ago"];
  }

  /** Returns what a call answers that begins when the right has ended. */
  async #answerWithout(name: string, call: SlowCall, ending: string): Promise<string | null | undefined> {
    return this.#as(call, name, async (made) => {
      const right = rightOf(made, ending);
      if (right.code !== undefined) return right.code;
      const { ctx } = this.#world;
      await right.end(ctx);
      const code = await (await this.#door.open(made))();
      await right.giveBack(ctx);
      if (code === null) await this.#leave(call);
      return code;
    });
  }

  /**
   * Makes a call with a new object and session, and has `act` use it. A caller without a place is a new user, because
   * calls leave objects behind. Undefined: this caller cannot have the object.
   */
  async #as<T>(
    { recipe, at, role }: Omit<SlowCall, "kinds">,
    name: string,
    act: (made: Prepared & { caller: UserIdentity | AgentIdentity }) => Promise<T>,
  ): Promise<T | undefined> {
    const target = recipe.on.targets[at] ?? {};
    const isAnybody = target.place === undefined || recipe.usesUpCaller;
    using _standIn = isUser(role) && isAnybody ? await this.#world.standIn(role) : null;
    const handles = await recipe.on.get(this.#world, target, role);
    if (handles === null) return undefined;
    const sent = recipe.sent(handles, () => this.#world.name());
    return act({ name, handles, sent, ...(await this.#callerIn(role)) });
  }

  async #callerIn(role: Role): Promise<{ caller: UserIdentity | AgentIdentity; credential: Record<string, string> }> {
    if (!isUser(role)) return { caller: this.#world.agent(role), credential: this.#world.person(role).credential };
    const { ctx, server } = this.#world;
    const from = { address: "127.0.0.1", userAgent: null };
    const { userId } = this.#world.user(role);
    // One more than a user may have ends the oldest, which is announced.
    const { token, identity } = await transact(ctx, (ctx) => startSession(ctx, userId, from));
    const cookie = sessionCookie(server.config, token).split(";", 1)[0] ?? "";
    return { caller: identity, credential: { cookie } };
  }

  /** Discards the channel that the call has changed. */
  async #leave({ recipe, at }: Omit<SlowCall, "kinds">): Promise<void> {
    const place = recipe.on.targets[at]?.place;
    if (!recipe.harmless && place !== undefined) await this.#world.spend(place);
  }
}

function rightOf(concerned: Concerned, name: string): TakenRight {
  const found = endingsOf(concerned).find((right) => right.name === name);
  if (found === undefined) throw new Error(`The call does not need this right any more: ${name}`);
  return found;
}

/** Returns the rows that the slow calls store, without the channels that `spend` has left to be purged. */
async function stored({ db }: AppContext): Promise<string[]> {
  const rowsOf = async ([table, columns]: [string, readonly string[]]) => {
    const picked = sql.join(columns.map((column) => sql.ref(column)));
    const kept = table === "channels" ? sql`where coalesce(deleted_at, 0) <> 1` : sql``;
    const { rows } = await sql<object>`select ${picked} from ${sql.table(table)} ${kept}`.execute(db);
    return rows.map((row) => `${table} ${JSON.stringify(row)}`);
  };
  return (await Promise.all(Object.entries(STORED).map(rowsOf))).flat();
}
