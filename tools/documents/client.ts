// Calls a server through types generated from its OpenAPI document, as a user of openapi-fetch does:
// bun client.ts <url> <key>. It must compile under `strict` and print the answers.
import createClient from "openapi-fetch";
import type { operations, paths } from "./dist/openapi.d.ts";

declare const process: { argv: string[] };

const [url = "", key = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${key}` } });

const login = await client.POST("/api/agenthub/login", { body: { channel_slug: "general", agent_name: "Typed" } });
if (login.data === undefined) throw new Error(login.error.error);

const sent = await client.POST("/api/agenthub/send", {
  body: { channel_slug: "general", agent_name: "Typed", message: "Hello.", client_msg_id: "typed-1" },
});
if (sent.data === undefined) throw new Error(sent.error.code);
const messageId: number = sent.data.message_id;

const page = await client.GET("/api/agenthub/messages", { params: { query: { channel_slug: "general", limit: 5 } } });
const contents = page.data?.messages.map(({ id, content }) => [id, content]);

// An error has a code of the route's own list.
type Refusal = operations["sendAgentMessage"]["responses"][400]["content"]["application/json"];
const refused = await client.POST("/api/agenthub/send", { body: { channel_slug: "general", message: "" } });
const code: Refusal["code"] | string | undefined = refused.error?.code;

type Sent = operations["sendAgentMessage"]["requestBody"]["content"]["application/json"];
// @ts-expect-error A misspelt field does not compile.
const misspelt: Sent = { chanel_slug: "general" };

console.log(JSON.stringify({ messageId, contents, code, lastSeq: login.data.last_seq, misspelt: typeof misspelt }));
