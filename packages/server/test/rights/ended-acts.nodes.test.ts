import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newChannel } from "../support/new-channel.ts";
import { type House, openHouse } from "../support/rights/houses.ts";
import { type Answered, Client, eventually, logIn, type Named, PASSWORD } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const MUTED_UNTIL = "2999-01-01T00:00:00.000Z";
const ROUNDS = 12;
const AT_ONCE = 24;

interface Scene {
  /** Acts on one of the other nodes, in turn. */
  act(n: number): Promise<Answered>;
  /** Takes the right away on one node. */
  take(): Promise<{ status: number }>;
  /** Counts what the acts have stored. */
  stored(): Promise<number>;
}

/** An act that has begun on one node when a right ends on another is stored before the answer, or not at all. */
describe("acts under way on other nodes", () => {
  let house: House;
  let warden: Named;
  let names = 0;
  beforeAll(async () => {
    house = await openHouse("three nodes", { agentLoopLimit: 0 });
    warden = await staff(house.here, "warden", 2);
  }, 60_000);
  afterAll(() => house[Symbol.asyncDispose]());

  const person = async () => {
    const name = `person${++names}`;
    return { name, client: await house.here.user(name) };
  };
  const room = async (isPrivate = false) => {
    const owner = await person();
    const { id, slug } = await newChannel(owner.client, { is_private: isPrivate });
    return { owner: owner.client, id, slug };
  };
  const messagesIn = (id: number) => async () => {
    const { db } = house.here.ctx;
    const { count } = await db
      .selectFrom("messages")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("channel_id", "=", id)
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  /** The caller on each node but the one where the right ends, in turn. */
  const inTurn = ({ credential }: Client, n: number) => {
    const others = house.nodes.filter((node) => node !== house.there);
    return new Client(others[n % others.length]?.url ?? "", credential);
  };
  const sends = (client: Client, id: number) => (n: number) =>
    inTurn(client, n).post("/api/messages", { channel_id: id, content: `message ${n}` });

  const agentSends = (client: Client, slug: string) => (n: number) =>
    inTurn(client, n).post("/api/agenthub/send", { channel_slug: slug, message: `message ${n}` });

  const scenes: Record<string, () => Promise<Scene>> = {
    "a logout": async () => {
      const [{ client }, { id }] = [await person(), await room()];
      const take = () => house.away(client).post("/api/auth/logout", {});
      return { act: sends(client, id), take, stored: messagesIn(id) };
    },
    "the end of the other sessions": async () => {
      const [{ client, name }, { id }] = [await person(), await room()];
      const other = await logIn(house.here.url, name);
      const take = () => house.away(other).delete("/api/auth/sessions");
      return { act: sends(client, id), take, stored: messagesIn(id) };
    },
    "a suspension": async () => {
      const [{ client, name }, { id }] = [await person(), await room()];
      const take = () => house.away(warden).put(`/api/admin/users/${name}`, { suspended_until: MUTED_UNTIL });
      return { act: sends(client, id), take, stored: messagesIn(id) };
    },
    "an erasure": async () => {
      const [{ client, name }, { id }] = [await person(), await room()];
      const take = () => house.away(client).send("DELETE", `/api/user/${name}`, { body: { password: PASSWORD } });
      return { act: sends(client, id), take, stored: messagesIn(id) };
    },
    "a ban": async () => {
      const [{ client, name }, { owner, id }] = [await person(), await room()];
      const take = () => house.away(owner).post(`/api/channels/${id}/bans`, { username: name });
      return { act: sends(client, id), take, stored: messagesIn(id) };
    },
    "a mute": async () => {
      const [{ client, name }, { owner, id }] = [await person(), await room()];
      const take = () => house.away(owner).put(`/api/channels/${id}/members/${name}`, { muted_until: MUTED_UNTIL });
      return { act: sends(client, id), take, stored: messagesIn(id) };
    },
    "a kick from a private channel": async () => {
      const [{ client, name }, { owner, id }] = [await person(), await room(true)];
      await owner.put(`/api/channels/${id}/members/${name}`, { role: "member" });
      const take = () => house.away(owner).delete(`/api/channels/${id}/members/${name}`);
      return { act: sends(client, id), take, stored: messagesIn(id) };
    },
    "the end of an agent's key": async () => {
      const [agent, { id, slug }] = [await house.here.agent(), await room()];
      const take = () => house.away(warden).delete(`/api/agenthub/agent-api-key/${agent.keyId}`);
      return { act: agentSends(agent, slug), take, stored: messagesIn(id) };
    },
    "an agent's pause": async () => {
      const [agent, { id, slug }] = [await house.here.agent(), await room()];
      const take = () => house.away(warden).put(`/api/agents/${agent.agentId}`, { paused: true });
      return { act: agentSends(agent, slug), take, stored: messagesIn(id) };
    },
    "a demotion": async () => {
      const { name } = await person();
      const [admin, { id }] = [await staff(house.here, `admin${++names}`, 2), await room()];
      const owner = await staff(house.here, `owner${name}`, 3);
      const take = () => house.away(owner).put(`/api/admin/users/${admin.username}`, { admin_level: null });
      const act = (n: number) => inTurn(admin, n).put(`/api/channels/${id}`, { topic: `topic ${n}` });
      const stored = async () => {
        const row = await house.here.ctx.db
          .selectFrom("channels")
          .select("last_seq")
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        return Number(row.last_seq);
      };
      return { act, take, stored };
    },
  };

  test.each(Object.keys(scenes))(
    "are not stored after the answer to %s",
    async (name) => {
      for (let round = 0; round < ROUNDS; round++) {
        const scene = await scenes[name]?.();
        if (scene === undefined) throw new Error("unknown");
        const faults = new Set<string>();
        let isOver = false;
        const actor = async (n: number) => {
          while (!isOver) {
            const { status, body } = await scene.act(n);
            if (status >= 500) faults.add(`${status} ${body.code}`);
          }
        };
        const storming = Promise.all(Array.from({ length: AT_ONCE }, (_, n) => actor(n)));
        await eventually("some are stored", async () => (await scene.stored()) > 0);
        expect((await scene.take()).status).toBeLessThan(300);
        const atAnswer = await scene.stored();
        isOver = true;
        await storming;
        // An erasure removes what was stored.
        expect(await scene.stored()).toBeLessThanOrEqual(atAnswer);
        // A node that hears of no changes for two seconds, as on a busy machine, refuses rather than act on old rights.
        faults.delete("503 storage_unavailable");
        expect([...faults]).toEqual([]);
      }
    },
    120_000,
  );

  test("are not stored when they wait for a row longer than the confirmation waits for them", async () => {
    const [{ client }, { id }] = [await person(), await room()];
    const { act, take, stored } = {
      act: sends(client, id),
      take: () => house.away(client).post("/api/auth/logout", {}),
      stored: messagesIn(id),
    };
    expect((await act(0)).status).toBe(201);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
    const holding = house.there.ctx.db.transaction().execute(async (trx) => {
      await trx.updateTable("channels").set({ topic: "held" }).where("id", "=", id).execute();
      isLocked();
      await released;
    });
    await locked;
    const first = act(1);
    await eventually("the statement waits", async () => {
      const { rows } = await waitingStatements();
      return rows.length > 0;
    });
    const second = act(2);
    expect((await take()).status).toBe(200);
    release();
    await holding;
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([401, 401]);
    expect(await stored()).toBe(1);
  });

  const waitingStatements = async () => {
    const { sql } = await import("kysely");
    return sql`select pid from pg_locks where not granted`.execute(house.there.ctx.db);
  };
});
