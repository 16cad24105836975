import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { loginAgent } from "../../src/agents/agent-presence.ts";
import { publishControl } from "../../src/realtime/control/control.ts";
import { expectError } from "../support/expect-error.ts";
import { type Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** A channel that becomes closed, is deleted or removes an agent at the very moment of the agent's login. */
let server: TestServer;
let ann: Client;
let id: number;
beforeEach(async () => {
  server = await startTestServer();
  ann = await server.user("ann");
  id = (await ann.post("/api/channels", { name: "Den" })).body.channel_id;
});
afterEach(() => server[Symbol.asyncDispose]());

const online = () => server.ctx.presence.list(id, 10).filter(({ kind }) => kind === "agent");
const rows = () => server.ctx.db.selectFrom("agent_presence").select("agent_id").where("channel_id", "=", id).execute();

/** Runs this function when an admitted login looks up its name. */
function beforeNameIsRead(act: () => Promise<unknown>): void {
  const { db } = server.ctx;
  const select = db.selectFrom.bind(db);
  const waiting = <T extends object>(query: T): T =>
    new Proxy(query, {
      get(target, property) {
        const found: unknown = Reflect.get(target, property);
        if (typeof found !== "function") return found;
        if (property === "executeTakeFirst") return () => act().then(() => found.call(target));
        return (...args: unknown[]) => waiting(found.apply(target, args));
      },
    });
  const spy = spyOn(db, "selectFrom").mockImplementation(((table: "names") => {
    if (table !== "names") return select(table);
    spy.mockRestore();
    return waiting(select(table));
  }) as typeof db.selectFrom);
}

test.each([
  ["made private", () => ann.put(`/api/channels/${id}`, { is_private: true }), 404, "channel_not_found"],
  ["deleted", () => ann.delete(`/api/channels/${id}`), 404, "channel_not_found"],
  ["closed to the agent", () => ann.post(`/api/channels/${id}/bans`, { agent_name: "Known" }), 403, "banned"],
  ["closed to agents", () => ann.put(`/api/channels/${id}`, { agent_policy: "deny" }), 403, "agents_not_allowed"],
] as const)(
  "an agent logging in to a channel that is %s at that moment is not shown online",
  async (_, change, status, code) => {
    const agent = await server.agent("Known");
    let answered = 0;
    beforeNameIsRead(async () => {
      answered = (await change()).status;
    });
    const login = await agent.post("/api/agenthub/login", { channel_slug: "den", agent_name: "Fresh" });
    expect([200, 201]).toContain(answered);
    expectError(login, status, code);
    expect([online(), await rows()]).toEqual([[], []]);
  },
);

test("an agent that was admitted by a race is removed once the change is processed", async () => {
  const { agentId } = await server.agent("Known");
  expect((await ann.put(`/api/channels/${id}`, { is_private: true })).status).toBe(200);
  await loginAgent(server.ctx, agentId, id, "Known");
  expect(online()).toHaveLength(1);
  publishControl(server.ctx, "channel_changed", id);
  await eventually("it is out", async () => online().length === 0 && (await rows()).length === 0);
});
