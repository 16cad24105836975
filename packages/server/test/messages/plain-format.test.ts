import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { HistoryResponse } from "@parley/protocol/messages";
import { ParleyClient } from "@parley/sdk";
import { expectError } from "../support/expect-error.ts";
import { type Client, startTestServer, type TestServer } from "../support/servers/test-server.ts";

const SENT = "# Hi @ann\n**@helper**, see [the log](https://ci.example/1):\n```js\nlet a = 1;\n```";
const PLAIN = "Hi @ann\n@helper, see the log (https://ci.example/1):\nlet a = 1;";

/** Protocol §4, §5 over real HTTP: texts without Markdown. */
describe("format=plain", () => {
  let server: TestServer;
  let ann: Client;
  let ben: Client;
  let helper: Awaited<ReturnType<TestServer["agent"]>>;
  let ids: number[];
  const read = (query: string) => ben.get(`/api/messages?channel_slug=hall${query}`);
  const readAsAgent = (query: string) => helper.get(`/api/agenthub/messages?channel_slug=hall${query}`);
  beforeAll(async () => {
    server = await startTestServer();
    [ann, ben] = [await server.user("ann"), await server.user("ben")];
    helper = await server.agent("helper");
    await ann.post("/api/channels", { name: "Hall", is_private: false });
    await helper.post("/api/agenthub/login", { channel_slug: "hall", agent_name: "helper" });
    ids = [];
    for (const content of [SENT, "*gone*", "_last_"])
      ids.push((await ben.post("/api/messages", { channel_slug: "hall", content })).body.message_id);
    await ben.delete(`/api/messages/${ids[1]}`);
    await ben.put(`/api/messages/${ids[2]}/reactions/like`);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const contents = (messages: HistoryResponse["messages"]) =>
    messages.filter(({ sender_type }) => sender_type === "user").map(({ content }) => content);

  test("returns texts without Markdown on every kind of page, and everything else as without it", async () => {
    for (const query of ["", "&after_seq=0", `&around=${ids[1]}`, `&ids=${ids.join(",")}`]) {
      const [sent, plain] = [await read(query), await read(`${query}&format=plain`)];
      expect([sent.status, plain.status]).toEqual([200, 200]);
      expect(contents(plain.body.messages)).toEqual([PLAIN, "", "last"]);
      const { content: _, mentions: __, ...rest } = sent.body.messages.at(-1);
      expect(plain.body.messages.at(-1)).toMatchObject(rest);
      expect({ ...plain.body, messages: [] }).toEqual({ ...sent.body, messages: [] });
    }
    expect(contents((await read("")).body.messages)).toEqual([SENT, "", "_last_"]);
    expect(contents((await read("&format=json")).body.messages)).toEqual([SENT, "", "_last_"]);
  });

  test("returns the offsets of mentions in the text that it returns", async () => {
    for (const { body } of [await read("&format=plain"), await readAsAgent("&format=plain")]) {
      const { content, mentions } = body.messages.find(({ id }: { id: number }) => id === ids[0]);
      const named = mentions.map(({ offset, length }: { offset: number; length: number }) =>
        content.slice(offset, offset + length),
      );
      expect(named).toEqual(["@ann", "@helper"]);
    }
  });

  test("works for agents, also with a wait, and through the sdk", async () => {
    const plain = await readAsAgent("&format=plain");
    expect(plain.status).toBe(200);
    expect(contents(plain.body.messages)).toEqual([PLAIN, "", "last"]);
    expect(plain.body.rendered).toBeUndefined();
    expect(contents((await readAsAgent("&after_seq=0&wait=1&format=plain")).body.messages)).toEqual([
      PLAIN,
      "",
      "last",
    ]);
    const client = new ParleyClient({ url: server.url, apiKey: helper.apiKey });
    const page = await client.agent.messages({ channel_slug: "hall", format: "plain" });
    expect(contents(page.messages)).toEqual([PLAIN, "", "last"]);
    expect(
      contents(
        (await new ParleyClient({ url: server.url }).messages.list({ channel_id: "hall", format: "plain" })).messages,
      ),
    ).toEqual([PLAIN, "", "last"]);
  });

  test("refuses other formats, and gives no right to read", async () => {
    for (const format of ["html", "", "PLAIN", "context"])
      expectError(await read(`&format=${format}`), 400, "invalid_request");
    for (const format of ["html", ""]) expectError(await readAsAgent(`&format=${format}`), 400, "invalid_request");
    expectError(await read("&format=plain&limit=x"), 400, "invalid_limit");
    expectError(await read("&format=plain&before=1&after=1"), 400, "invalid_cursor");
    expectError(await ben.get("/api/messages?channel_slug=none&format=plain"), 404, "channel_not_found");
    expectError(await helper.get("/api/agenthub/messages?channel_slug=none&format=plain"), 404, "channel_not_found");
    await ann.post("/api/channels", { name: "Den", is_private: true });
    const [asUser, asAgent] = [
      await ben.get("/api/messages?channel_slug=den&format=plain"),
      await helper.get("/api/agenthub/messages?channel_slug=den&format=plain"),
    ];
    const [user, agent] = [
      await ben.get("/api/messages?channel_slug=den"),
      await helper.get("/api/agenthub/messages?channel_slug=den"),
    ];
    expect([asUser.status, asUser.body.code, asAgent.status, asAgent.body.code]).toEqual([
      user.status,
      user.body.code,
      agent.status,
      agent.body.code,
    ]);
    expect(asUser.status).toBeGreaterThanOrEqual(403);
  });
});
