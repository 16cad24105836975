import { afterAll, beforeAll, expect, test } from "bun:test";
import Schema from "typebox/schema";
import { upload } from "../support/files/sent-file.ts";
import { newChannel } from "../support/new-channel.ts";
import { type Answered, startTestServer, type TestServer } from "../support/servers/test-server.ts";

interface Document {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>
  >;
  components: { schemas: Record<string, object> };
}

let server: TestServer;
let document: Document;
beforeAll(async () => {
  server = await startTestServer();
  document = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as Document;
});
afterAll(() => server[Symbol.asyncDispose]());

/** Checks the media type and the body of an answer against the document; returns status and media type. */
function described(method: "get" | "post", path: string, { status, headers, body }: Answered): [number, string] {
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  const { content = {} } = document.paths[path]?.[method]?.responses[status] ?? {};
  const schema = (content[type] ?? content["*/*"])?.schema;
  if (schema === undefined) throw new Error(`${path} answers ${status} with the undeclared ${type}`);
  const isChecked = Schema.Check({ ...schema, components: document.components }, body);
  if (!isChecked) throw new Error(`${path} answers ${status} with ${JSON.stringify(body).slice(0, 300)}`);
  return [status, type];
}

test("the index of skills is JSON, as the document says", async () => {
  const path = "/.well-known/agent-skills/index.json";
  expect(described("get", path, await server.guest.get(path))).toEqual([200, "application/json"]);
});

test("a channel's export as one document is JSON, as the document says", async () => {
  const ann = await server.user("ann");
  const room = await newChannel(ann);
  const answer = await ann.get(`/api/channels/${room.id}/export?format=json`);
  expect(described("get", "/api/channels/{channel_id}/export", answer)).toEqual([200, "application/json"]);
});

test("a file has the media type of what was uploaded, as the document says", async () => {
  const bob = await server.user("bob");
  const { file } = (await upload(bob, "hello", "notes.txt")).body;
  expect(described("get", "/api/files/{file_id}", await bob.get(file.url))).toEqual([200, "text/plain"]);
});

test("the refusals of MCP and of Parley have the forms that the document gives them", async () => {
  const scout = await server.agent("Scout");
  const post = (body: object) =>
    scout.post("/mcp", body, { headers: { accept: "application/json, text/event-stream" } });
  const modern = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
  const refusals = [
    await post({}),
    await post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: modern } }),
    await post({ jsonrpc: "2.0" }),
  ];
  for (const refusal of refusals) expect(described("post", "/mcp", refusal)).toEqual([400, "application/json"]);
  expect(refusals.map(({ body }) => "jsonrpc" in body)).toEqual([false, true, true]);
});
