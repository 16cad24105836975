import type { Config } from "../config/config.ts";
import { commandErrors, INTRODUCTION } from "./asyncapi.ts";
import { definitions, escapeHtml, htmlPage, markup, recordsHtml, shapeHtml } from "./html-page.ts";
import { Components, type JsonSchema } from "./schemas.ts";
import { socketTables } from "./socket-tables.ts";

/** Renders /docs/events: the commands and events of the socket, without a script. */
export function eventsPage(config: Pick<Config, "value">): string {
  const tables = socketTables(config);
  const components = new Components();
  const shape = (schema: JsonSchema) => () => shapeHtml(schema, components.schemas);
  const commands = tables.commands.map(([name, spec]) => ({
    title: name,
    summary: spec.summary,
    parts: [
      ["data", shape(components.refer(spec.data))],
      ["ack", shape(components.refer(spec.ack))],
      ["errors", () => markup(commandErrors(spec))],
    ] satisfies Part[],
  }));
  const events = tables.events.map(([name, spec]) => ({
    title: `${name}${spec.durable ? " (durable)" : ""}`,
    summary: spec.summary,
    parts: [["data", shape(components.refer(spec.data))]] satisfies Part[],
  }));
  return htmlPage("Parley, live", "Parley, live: the WebSocket /api/ws", [
    '<p><a href="/docs">The HTTP API</a> · <a href="/api/asyncapi.json">this page as AsyncAPI 3.1</a></p>',
    markup(INTRODUCTION),
    "<h2>Commands, from the client</h2>",
    ...commands.map(sectionHtml),
    "<h2>Events, from the server</h2>",
    ...events.map(sectionHtml),
    ...recordsHtml(components.schemas),
  ]);
}

/** Rendered when all records are known, because types lead to them. */
type Part = [name: string, html: () => string];

function sectionHtml({ title, summary, parts }: { title: string; summary: string; parts: readonly Part[] }): string {
  const rows = parts.map(([name, html]) => [name, html()] as const);
  return `<h3>${escapeHtml(title)}</h3>\n<p>${escapeHtml(summary)}</p>\n${definitions(rows)}`;
}
