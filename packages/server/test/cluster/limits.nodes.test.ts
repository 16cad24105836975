import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ClusterNode } from "../../src/cluster/cluster.ts";
import { insertNode } from "../../src/cluster/nodes.store.ts";
import { type Nodes, startNodes } from "../support/cluster/start-nodes.ts";
import { expectError } from "../support/expect-error.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Answered, Client, eventually, PASSWORD, type TestServer } from "../support/servers/test-server.ts";

/** A request that is sent to several nodes at once acts once. */
describe("twins on three nodes", () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(3, { bus: "memory", config: { rateLimits: "off" } });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const everywhere = <T>(act: (client: Client) => Promise<T>, credential = {}) =>
    Promise.all(cluster.nodes.map(({ url }) => act(new Client(url, credential))));

  test("create one channel with one key", async () => {
    const [first] = cluster.nodes;
    const ann = await first?.user("ann");
    for (let n = 0; n < 10; n++) {
      const headers = { "idempotency-key": `channel-key-${n}` };
      const answers = await everywhere(
        (client) => client.post("/api/channels", { name: `twins ${n}` }, { headers }),
        ann?.credential,
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
      expect(new Set(answers.map(({ body }) => body.channel_id)).size).toBe(1);
      expect(answers.filter(({ body }) => body.deduplicated === true)).toHaveLength(2);
    }
  });

  test("with different bodies conflict, and create one channel", async () => {
    const [first] = cluster.nodes;
    const bob = await first?.user("bob");
    const headers = { "idempotency-key": "channel-key-of-bob" };
    let names = 0;
    const answers = await everywhere(
      (client) => client.post("/api/channels", { name: `other ${++names}` }, { headers }),
      bob?.credential,
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test("continue when the first one fails", async () => {
    const [first] = cluster.nodes;
    const cid = await first?.user("cid");
    const headers = { "idempotency-key": "channel-key-of-cid" };
    const refused = await everywhere(
      (client) => client.post("/api/channels", { name: "taken", channel_slug: "general" }, { headers }),
      cid?.credential,
    );
    expect(refused.map(({ body }) => body.code)).toEqual(["slug_taken", "slug_taken", "slug_taken"]);
    const again = await everywhere(
      (client) => client.post("/api/channels", { name: "free" }, { headers }),
      cid?.credential,
    );
    expect(again.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
  });

  test("register one account with one key", async () => {
    for (let n = 0; n < 5; n++) {
      const headers = { "idempotency-key": `account-key-${n}` };
      const body = { username: `dan${n}`, password: PASSWORD };
      const answers = await everywhere((client) => client.post("/api/auth/register", body, { headers }));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    }
    const headers = { "idempotency-key": "account-key-of-three" };
    let names = 0;
    const others = await everywhere((client) =>
      client.post("/api/auth/register", { username: `eva${++names}`, password: PASSWORD }, { headers }),
    );
    expect(others.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

/** Calls that all nodes count together. */
describe("rate limits of three nodes", () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(3, { bus: "redis", config: { rateFactor: 1 } });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Sends `count` requests, in turn to each node, all at once. Returns how many passed. */
  async function passing(count: number, send: (client: Client, n: number) => Promise<Answered>, credential = {}) {
    const clients = cluster.nodes.map(({ url }) => new Client(url, credential));
    const started = performance.now();
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => send(clients[n % clients.length] as Client, n)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    for (const { body, headers } of refused) {
      expect(body.code).toBe("rate_limited");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    return { passed: count - refused.length, answers, seconds: (performance.now() - started) / 1_000 };
  }

  /** Refills while the requests are under way are no overshoot. */
  const within = (passed: number, quota: number, seconds: number, window: number) =>
    expect(passed).toBeWithin(0.95 * quota, 1.05 * quota + Math.ceil((quota * seconds) / window) + 0.1);

  test("let one quota pass that is counted in Redis", async () => {
    const ann = await cluster.nodes[0]?.user("ann");
    const get = (client: Client) => client.get("/api/auth/sessions");
    const { passed, answers, seconds } = await passing(600, get, ann?.credential);
    within(passed, 300, seconds, 60);
    expect(answers[0]?.headers.get("ratelimit-policy")).toBe('"session";q=300;w=60');
    const left = answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]));
    expect(Math.max(...left)).toBeLessThanOrEqual(299);
    expect(Math.min(...left)).toBe(0);
  });

  test("let one quota pass that is counted in the database", async () => {
    const bob = await cluster.nodes[0]?.user("bob");
    const create = (client: Client, n: number) => client.post("/api/channels", { name: `room ${n}` });
    const { passed, seconds } = await passing(40, create, bob?.credential);
    within(passed, 20, seconds, 3_600);
  });

  test("hold without Redis: those in the database exactly, the others on each node", async () => {
    const cat = await cluster.nodes[0]?.user("cat");
    await cluster.redis?.stop();
    try {
      const create = (client: Client, n: number) => client.post("/api/channels", { name: `cat ${n}` });
      const created = await passing(40, create, cat?.credential);
      within(created.passed, 20, created.seconds, 3_600);
      const search = (client: Client) => client.get("/api/search/messages?q=word");
      const found = await passing(180, search, cat?.credential);
      within(found.passed, 3 * 30, found.seconds, 60);
    } finally {
      await cluster.redis?.start();
    }
  });
});

/** Wrong passwords are counted by all nodes together. */
describe("failed logins on three nodes", () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(3, { bus: "memory" });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const logIn = (node: number, username: string, password = PASSWORD) =>
    new Client(cluster.nodes[node]?.url ?? "").post("/api/auth/login", { username, password });

  test("slow down the next one, wherever it is tried", async () => {
    await cluster.nodes[0]?.user("ann");
    for (let n = 0; n < 5; n++) expect((await logIn(n % 3, "ann", `wrong ${n}`)).status).toBe(401);
    for (const node of [0, 1, 2]) {
      const refused = await logIn(node, "ann");
      expectError(refused, 429, "rate_limited");
      expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 6);
    }
    // Another name in the same network is free.
    await cluster.nodes[0]?.user("bob");
    expect((await logIn(1, "bob")).status).toBe(200);
  });

  test("are forgiven on every node by the right password on one", async () => {
    await cluster.nodes[0]?.user("cat");
    for (const node of [0, 1]) {
      for (let n = 0; n < 4; n++) expect((await logIn(node, "cat", `wrong ${n}`)).status).toBe(401);
      expect((await logIn(2, "cat")).status).toBe(200);
    }
  });

  test("store no names", async () => {
    expect((await logIn(0, "nobody", "wrong")).status).toBe(401);
    const rows = await cluster.nodes[0]?.ctx.db.selectFrom("login_failures").selectAll().execute();
    expect(rows?.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain("body");
  });
});

describe("the loop guard of three nodes", () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(3, { bus: "memory", config: { rateLimits: "off" } });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const on = (node: number, credential: Record<string, string>) =>
    new Client(cluster.nodes[node % 3]?.url ?? "", credential);

  test("counts the messages of all nodes once, and is cleared by a person on one", async () => {
    const [first] = cluster.nodes as [TestServer];
    const ann = await first.user("ann");
    const { body: channel } = await ann.post("/api/channels", { name: "agents" });
    const agents = [await first.agent("One"), await first.agent("Two")];
    for (const { agentId } of agents) {
      await ann.post(`/api/channels/${channel.channel_id}/agents`, { agent_id: agentId });
    }
    const say = (n: number, message = "Again!") =>
      on(n, agents[n % 2]?.credential ?? {}).post("/api/agenthub/send", {
        channel_slug: channel.channel_slug,
        message,
        client_msg_id: `${message} ${n}`,
      });
    const passing = async (message: string) => {
      let passed = 0;
      for (let n = 0; n < 60; n++) passed += (await say(n, message)).status === 201 ? 1 : 0;
      return passed;
    };
    expect(await passing("first")).toBe(30);
    for (const node of [0, 1, 2]) expectError(await say(node, "refused"), 429, "loop_guard_tripped");
    const guard = await on(2, ann.credential).get(`/api/channels/${channel.channel_id}/guard`);
    expect(guard.body).toMatchObject({ consecutive: 30, tripped: true });
    await on(1, ann.credential).post("/api/messages", { channel_id: channel.channel_id, content: "Stop." });
    expect(await passing("second")).toBe(30);
  });
});

describe("slow mode and sockets of two nodes", () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off", socketsPerAddress: 15 } });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const at = (node: number) => cluster.nodes[node]?.url ?? "";
  const open = (node: number, who?: Client) => LiveSocket.open(at(node), who?.credential);

  test("a sender has one turn on both nodes, and gets it back after a refused message", async () => {
    const [first] = cluster.nodes as [TestServer];
    const ann = await first.user("ann");
    const bob = await first.user("bob");
    const { body: room } = await ann.post("/api/channels", { name: "slow" });
    await ann.put(`/api/channels/${room.channel_id}`, { slow_mode_seconds: 60 });
    const say = (node: number, content: string, clientMsgId?: string) =>
      new Client(at(node), bob.credential).post("/api/messages", {
        channel_id: room.channel_id,
        content,
        client_msg_id: clientMsgId,
      });
    await new Client(at(0), bob.credential).post(`/api/channels/${room.channel_id}/join`, {});
    expectError(await say(0, " "), 400, "content_required");
    await eventually("the turn is given back", async () => (await say(1, "first", "one")).status < 300);
    const refused = await say(0, "second", "two");
    expectError(refused, 429, "slow_mode");
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(50, 61);
    expect((await say(0, "first", "one")).body).toMatchObject({ deduplicated: true });
    await cluster.redis?.stop();
    try {
      expect((await say(0, "third", "three")).status).toBe(201);
      expectError(await say(0, "fourth", "four"), 429, "slow_mode");
    } finally {
      await cluster.redis?.start();
    }
  });

  test("a user has 10 sockets and an address its limit, on both nodes together", async () => {
    await eventually("both nodes have Redis again", () => cluster.nodes.every(({ ctx }) => ctx.redis?.shards[0]?.isUp));
    const [first] = cluster.nodes as [TestServer];
    const cat = await first.user("cat");
    const { id } = await first.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", "cat")
      .executeTakeFirstOrThrow();
    // The sockets of a node that has died do not count, even before the others know of its death.
    const [node] = (first.ctx.cluster?.nodes ?? []) as [ClusterNode];
    await insertNode(first.ctx.db, { ...node, id: "silent", name: "silent" });
    await eventually("the nodes know the silent one", () =>
      cluster.nodes.every(({ ctx }) => ctx.cluster?.nodes.some((node) => node.id === "silent")),
    );
    await cluster.redis?.command("HSET", `${first.ctx.redis?.prefix}sockets of u${id}`, "silent", "10", "dead", "10");
    await using sockets = new AsyncDisposableStack();
    for (let n = 0; n < 9; n++) sockets.use(await open(n % 2, cat));
    const last = await open(1, cat);
    for (const node of [0, 1]) expect(await open(node, cat).catch(() => "refused")).toBe("refused");
    const guest = sockets.use(await open(0));
    const login = await guest.ask("auth:login", { username: "cat", password: PASSWORD });
    expect(login.data.code).toBe("too_many_sockets");
    await last[Symbol.asyncDispose]();
    const again = await eventually("there is a place again", () => open(0, cat).catch(() => null));
    sockets.use(again);

    for (let n = 0; n < 4; n++) sockets.use(await open(n % 2));
    for (const node of [0, 1]) expect(await open(node).catch(() => "refused")).toBe("refused");
  });
});
