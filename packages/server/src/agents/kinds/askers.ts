import { nameKey } from "../../accounts/names/names.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { AskedKind } from "../../db/tables/agents.ts";
import { onControl, onControlLost } from "../../realtime/control/control.ts";
import { agentOfKey } from "../agents.store.ts";
import { agentHasLiveKey } from "../keys/keys.ts";
import { deleteKindsOf, type KindsRow, readKinds } from "./kinds.store.ts";

/** A name of an agent that asked for kinds of items. */
export interface Asker {
  readonly agentId: number;
  readonly agentName: string;
  readonly kinds: ReadonlySet<AskedKind>;
}

/** Splits a column of kinds. */
export const kindsIn = (column: string): AskedKind[] => (column === "" ? [] : (column.split(",") as AskedKind[]));

const askerOf = ({ agent_id, agent_name, kinds, telegram_kinds }: KindsRow): Asker => ({
  agentId: agent_id,
  agentName: agent_name,
  kinds: new Set([...kindsIn(kinds), ...kindsIn(telegram_kinds)]),
});

/** The names that asked. */
export class Askers {
  readonly #byAgent = new Map<number, readonly Asker[]>();

  get isEmpty(): boolean {
    return this.#byAgent.size === 0;
  }

  /** Returns the names that want a kind. */
  wanting(kind: AskedKind): Asker[] {
    return [...this.#byAgent.values()].flatMap((all) => all.filter(({ kinds }) => kinds.has(kind)));
  }

  /** Returns a name of an agent, if it wants a kind. */
  find(agentId: number, agentName: string, kind: AskedKind): Asker | undefined {
    const key = nameKey(agentName);
    return this.#byAgent
      .get(agentId)
      ?.find(({ agentName: own, kinds }) => kinds.has(kind) && (own === agentName || nameKey(own) === key));
  }

  /** Replaces what is known of one agent, or of all. */
  put(rows: readonly KindsRow[], agentId?: number): this {
    if (agentId === undefined) this.#byAgent.clear();
    else this.#byAgent.delete(agentId);
    const wanting = rows.map(askerOf).filter(({ kinds }) => kinds.size > 0);
    for (const [id, own] of Map.groupBy(wanting, (asker) => asker.agentId)) this.#byAgent.set(id, own);
    return this;
  }
}

/** The names that asked, in memory, so that a message costs no query where nobody asked. */
class KnownAskers {
  readonly #ctx: AppContext;
  readonly #known = new Askers();
  /** Settles when all changes heard so far are read. */
  #reading: Promise<void> = Promise.resolve();
  #unread = 0;
  /** True after a read that failed: then all must be read again. */
  #isStale = false;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  /** Reads what has changed, after all earlier reads. */
  read(agentId?: number): Promise<void> {
    this.#unread += 1;
    const next = this.#reading
      .then(async () => {
        const whose = this.#isStale ? undefined : agentId;
        this.#isStale = true;
        this.#known.put(await readKinds(this.#ctx.db, whose), whose);
        this.#isStale = false;
      })
      .finally(() => {
        this.#unread -= 1;
      });
    this.#reading = next.catch(() => {});
    return next;
  }

  /**
   * Returns who asked. While a change is being read, a transaction reads all of it by itself: on SQLite the read waits
   * for the transaction.
   */
  async now({ db }: AppContext): Promise<Askers> {
    if (db.isTransaction && (this.#unread > 0 || this.#isStale)) return new Askers().put(await readKinds(db));
    await this.#reading;
    if (this.#isStale) await this.read();
    return this.#known;
  }
}

/** The names that asked, on this server. Every change of an agent is read again. */
export const knownAskers = perServer((ctx) => {
  const made = new KnownAskers(ctx.root);
  onControl(ctx, "agent_changed", (agentId) => made.read(agentId));
  onControl(ctx, "key_revoked", (keyId) => endWithKey(ctx, made, keyId));
  onControlLost(ctx, () => made.read());
  return made;
});

/** Ends what an agent asked for with its last key: nobody reads its inbox any more. */
async function endWithKey({ root }: AppContext, made: KnownAskers, keyId: string): Promise<void> {
  const agentId = await agentOfKey(root.db, keyId);
  if (agentId === undefined || (await agentHasLiveKey(root, agentId))) return;
  await deleteKindsOf(root.db, agentId);
  await made.read(agentId);
}

/** Returns who asked for more kinds of items. */
export const askersNow = (ctx: AppContext): Promise<Askers> => knownAskers(ctx).now(ctx);
