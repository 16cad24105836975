import { expect, test } from "bun:test";
import { EVENTS } from "@parley/protocol/events";
import { COMMANDS } from "@parley/protocol/realtime";
import { asyncApiDocument } from "./asyncapi.ts";
import { eventsPage } from "./events-page.ts";
import { shapeOf } from "./schemas.ts";

const document = asyncApiDocument({
  publicUrl: "https://chat.example:8443/x",
  host: "127.0.0.1",
  port: 3000,
  value: "on",
});

/** Returns every reference of the document. */
function references(value: unknown): string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, field]) =>
    name === "$ref" && typeof field === "string" ? [field] : references(field),
  );
}

/** Returns the target of a reference. */
function resolve(ref: string): unknown {
  return ref
    .slice(2)
    .split("/")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}

test("every reference in the AsyncAPI document resolves", () => {
  const all = new Set(references(document));
  expect(all.has("#/components/schemas/ChatMessage")).toBe(true);
  for (const ref of all) expect(resolve(ref), ref).toBeDefined();
});

test("every command is received and answered by its ack or an error", () => {
  for (const name of Object.keys(COMMANDS)) {
    const id = `command.${name.replace(":", ".")}`;
    const ack = id.replace("command", "ack");
    expect(document.operations[id], name).toMatchObject({
      action: "receive",
      messages: [{ $ref: `#/channels/socket/messages/${id}` }],
      reply: {
        messages: [{ $ref: `#/channels/socket/messages/${ack}` }, { $ref: "#/channels/socket/messages/error" }],
      },
    });
    expect(document.components.messages[id]?.payload, name).toMatchObject({ properties: { event: { const: name } } });
  }
});

test("every event is sent", () => {
  for (const name of Object.keys(EVENTS)) {
    const id = `event.${name.replace(":", ".")}`;
    expect(document.operations[id], name).toMatchObject({ action: "send" });
    expect(document.components.messages[id]?.payload, name).toMatchObject({ properties: { event: { const: name } } });
  }
});

test("the server in the AsyncAPI document is the public URL or else this server", () => {
  expect(document.servers.parley).toEqual({ host: "chat.example:8443", protocol: "wss" });
  const local = asyncApiDocument({ publicUrl: null, host: "::1", port: 3000, value: "on" });
  expect(local.servers.parley).toEqual({ host: "[::1]:3000", protocol: "ws" });
});

test("the page shows every command, event and record, and its links resolve", () => {
  const html = eventsPage({ value: "on" });
  for (const name of [...Object.keys(COMMANDS), ...Object.keys(EVENTS)]) expect(html).toContain(`<h3>${name}`);
  const links = [...html.matchAll(/href="#(\w+)"/g)].map(([, id]) => id);
  expect(links).toContain("ChatMessage");
  for (const id of links) expect(html).toContain(`id="${id}"`);
});

test("a schema is shown like a type", () => {
  const schema = {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "integer", description: "Its number." },
      names: { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } },
      role: { enum: ["a", "b"] },
      of: { $ref: "#/components/schemas/Thing" },
      any: {},
    },
  };
  expect(shapeOf(schema)).toBe(
    '{\n  id: integer  // Its number.\n  names?: (string | null)[]\n  role?: "a" | "b"\n  of?: @Thing\n  any?: any\n}',
  );
});
