import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { Client, eventually, type TestServer } from "../support/servers/test-server.ts";
import { agentsOf, BY_NAME, CLAIM, codeFor, withKey } from "./scene.ts";

test("of 20 claims at once on two nodes one gets a key, which both accept", async () => {
  await using cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off" } });
  const [here, there] = cluster.nodes as [TestServer, TestServer];
  const ann = await here.user("ann");
  const code = await codeFor(ann, "Two Nodes");
  const doors = [here.guest, there.guest] as const;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? doors[0] : doors[1]).post(CLAIM, { code })),
  );
  const won = answers.filter(({ status }) => status === 201);
  expect(won).toHaveLength(1);
  expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
    new Set(["setup_code_used"]),
  );
  for (const node of [here, there])
    expect((await withKey(node, won[0]?.body.api_key).get("/api/agenthub/me")).status).toBe(200);
  expect(await agentsOf(ann)).toMatchObject([{ agent_names: ["Two Nodes"] }]);
});

test("codes for one held name that both nodes exchange at once give keys of one agent", async () => {
  await using cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off" } });
  const [here, there] = cluster.nodes as [TestServer, TestServer];
  const ann = await here.user("ann");
  const away = new Client(there.url, ann.credential);
  const codes = await Promise.all([ann, away, ann, away].map((by) => codeFor(by, "Shared Name")));
  const claimed = await Promise.all(codes.map((code, n) => (n % 2 === 0 ? there : here).guest.post(CLAIM, { code })));
  expect(claimed.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(claimed.map(({ body }) => body.agent_id)).size).toBe(1);
});

test("a pause on one node ends a code on the other", async () => {
  await using cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off" } });
  const [here, there] = cluster.nodes as [TestServer, TestServer];
  const ann = await here.user("ann");
  const made = await here.guest.post(CLAIM, { code: await codeFor(ann, "Paused There") });
  const path = `/api/agents/${made.body.agent_id}`;
  const { code } = (await ann.post(`${path}/setup-codes`)).body;
  const away = new Client(there.url, ann.credential);
  await away.put(path, { paused: true });
  await away.put(path, { paused: false });
  const refused = await here.guest.post(CLAIM, { code });
  expect([refused.status, refused.body.code]).toEqual([410, "setup_code_expired"]);
});

test("a name that is claimed on one node is mentioned on the other", async () => {
  await using cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off" } });
  const [here, there] = cluster.nodes as [TestServer, TestServer];
  const ann = await here.user("ann");
  const away = new Client(there.url, ann.credential);
  const mentions = async () =>
    (await away.post("/api/messages", { channel_slug: "general", content: "@Newborn hello" })).body.chat_message
      .mentions;
  const code = await codeFor(ann, "Newborn");
  expect(await mentions()).toEqual([]);
  expect((await away.post(BY_NAME, { agent_name: "Newborn" })).status).toBe(201);
  await here.guest.post(CLAIM, { code });
  await eventually("the other node knows the name", async () => (await mentions()).length === 1);
});
