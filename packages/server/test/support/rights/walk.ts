import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import { type Act, expected, isByLevel } from "./expected.ts";
import type { Handles } from "./objects.ts";
import type { Recipe, Sent } from "./recipe.ts";
import { isUser, type Role, type Target } from "./roles.ts";
import type { RightsWorld } from "./world.ts";

/** The response of the server. `answer` is `yes` for a success, otherwise the error code. */
export interface Told {
  answer: string;
  /** The fault in the form of the response, if there is one. */
  flaw?: string | undefined;
  /** Everything that the caller received. */
  text: string;
}

/** A route or command that can be called in any role on any object. */
export interface Callee {
  /** True if the call changes nothing. */
  isRead: boolean;
  roles: readonly Role[];
  call(role: Role, handles: Handles, sent: Sent): Promise<Told>;
}

/** Tries a recipe in every role on every object. Returns a line for each response that differs from the protocol. */
export async function walk(
  world: RightsWorld,
  callee: Callee,
  recipe: Recipe,
  guestRead = true,
): Promise<{ trials: number; wrong: string[] }> {
  await world.hide();
  const walker = new Walker(world, callee, recipe, guestRead);
  for (const target of recipe.on.targets) {
    for (const role of callee.roles) await walker.trial(target, role);
    await walker.leave(target);
  }
  return walker;
}

class Walker {
  readonly wrong: string[] = [];
  trials = 0;
  readonly #world: RightsWorld;
  readonly #callee: Callee;
  readonly #recipe: Recipe;
  readonly #act: Act;

  constructor(world: RightsWorld, callee: Callee, recipe: Recipe, guestRead: boolean) {
    this.#world = world;
    this.#callee = callee;
    this.#recipe = recipe;
    this.#act = { right: recipe.right, notFound: recipe.on.notFound, guestRead };
  }

  async trial(target: Target, role: Role): Promise<void> {
    const { on, usesUpCaller, sent } = this.#recipe;
    using _standIn = usesUpCaller && isUser(role) ? await this.#world.standIn(role) : null;
    const handles = await on.get(this.#world, target, role);
    if (handles === null) return;
    this.trials += 1;
    const wanted = expected(this.#act, role, target);
    const isLevelled = isByLevel(this.#act, role, target);
    const lines = isLevelled ? await this.#auditLines(role) : 0;
    const body = sent(handles, () => this.#world.name());
    const { answer, flaw, text } = await this.#callee.call(role, handles, body);
    if (answer !== wanted) this.#note(target, role, `${answer}, not ${wanted}`);
    if (flaw !== undefined) this.#note(target, role, flaw);
    // Moderators may read reported messages of channels they are not in.
    if (this.#act.right !== "handle reports" && this.#world.isLeak(role, text))
      this.#note(target, role, `leaks ${text}`);
    if (answer !== "yes") return;
    if (isLevelled && !(await this.#isAudited(role, target, handles, lines)))
      this.#note(target, role, "is not audited");
    await this.leave(target);
  }

  /** Discards the channel if the act may have changed it, so that the next trial gets a new one. */
  async leave({ place }: Target): Promise<void> {
    if (!this.#recipe.harmless && place !== undefined) await this.#world.spend(place);
  }

  #note({ place, of }: Target, role: Role, what: string): void {
    const where = [this.#recipe.right, place, of, role].filter((part) => part !== undefined).join(", ");
    this.wrong.push(`${where}: ${what}`);
  }

  /**
   * Returns whether the audit log records the act. It must record every change made by site level, and reads of private
   * channels (once a minute).
   */
  async #isAudited(role: Role, { place }: Target, handles: Handles, before: number): Promise<boolean> {
    const isInside = place !== undefined && place !== "public";
    if (this.#callee.isRead && !isInside) return true;
    if ((await this.#auditLines(role)) > before) return true;
    return isInside && (await this.#auditLines(role, `channel:${handles.channel_id}`)) > 0;
  }

  async #auditLines(role: Role, subject?: string): Promise<number> {
    if (!isUser(role)) return 0;
    const { ctx } = this.#world;
    const { username } = this.#world.user(role);
    let query = ctx.db.selectFrom("audit_log").select("id").where("actor", "=", username);
    if (subject !== undefined) query = query.where("subject", "=", subject);
    return (await query.execute()).length;
  }
}

/** Parses a refusal. A hidden object must be indistinguishable from a missing one. */
export function refusal(text: string, status?: number): Told {
  const { code, error, details } = JSON.parse(text) as { code: ErrorCode; error: string; details?: unknown };
  const [wanted, ordinary] = ERRORS[code];
  if (status !== undefined && status !== wanted)
    return { answer: code, text, flaw: `has status ${status} with ${code}` };
  const isBare = error === ordinary && details === undefined;
  return {
    answer: code,
    text,
    flaw: wanted === 404 && !isBare ? "reveals more than that the object is missing" : undefined,
  };
}
