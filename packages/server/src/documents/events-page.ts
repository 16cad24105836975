import { EVENTS, type EventSpec } from "@parley/protocol/events";
import { COMMANDS, type CommandSpec } from "@parley/protocol/realtime";
import { commandErrors, INTRODUCTION } from "./asyncapi.ts";
import { Components, type JsonSchema } from "./components.ts";
import { shapeOf } from "./shape.ts";

/** Renders /docs/events: the commands and events of the socket, without a script. */
export function eventsPage(): string {
  const components = new Components();
  const commands = Object.entries<CommandSpec>(COMMANDS).map(([name, spec]) =>
    section(name, spec.summary, [
      ["data", shape(components.refer(spec.data))],
      ["ack", shape(components.refer(spec.ack))],
      ["errors", markup(commandErrors(spec))],
    ]),
  );
  const events = Object.entries<EventSpec>(EVENTS).map(([name, spec]) =>
    section(`${name}${spec.durable ? " (durable)" : ""}`, spec.summary, [["data", shape(components.refer(spec.data))]]),
  );
  const records = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3 id="${name}">${name}</h3>\n${paragraph(schema.description)}${shape(schema)}`,
  );
  return page([
    ...INTRODUCTION.split("\n\n").map((text) => `<p>${markup(text)}</p>`),
    "<h2>Commands, from the client</h2>",
    ...commands,
    "<h2>Events, from the server</h2>",
    ...events,
    "<h2>Records</h2>",
    ...records,
  ]);
}

/** Allows no script and no content from outside the page. */
export const EVENTS_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function section(title: string, summary: string, parts: readonly (readonly [name: string, html: string])[]): string {
  const rows = parts.map(([name, html]) => `<dt>${name}</dt><dd>${html}</dd>`).join("");
  return `<h3>${escapeHtml(title)}</h3>\n<p>${escapeHtml(summary)}</p>\n<dl>${rows}</dl>`;
}

function shape(schema: JsonSchema): string {
  const text = escapeHtml(shapeOf(schema)).replace(/@([A-Za-z]+)/g, '<a href="#$1">$1</a>');
  return `<pre>${text}</pre>`;
}

function paragraph(text: unknown): string {
  return typeof text === "string" ? `<p>${escapeHtml(text)}</p>\n` : "";
}

/** Renders plain text with `code` in it. */
function markup(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function page(parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley, live</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .6rem .8rem; border: 1px solid #8884; border-radius: 6px; margin: .2rem 0; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8884; }
h3 { margin: 1.6rem 0 0; font-family: ui-monospace, monospace; }
dl { display: grid; grid-template-columns: 4rem minmax(0, 1fr); gap: .4rem; }
dt { opacity: .7; } dd { margin: 0; } p { margin: .3rem 0; }
</style>
</head>
<body>
<h1>Parley, live: the WebSocket /api/ws</h1>
<p><a href="/docs">The HTTP API</a> · <a href="/api/asyncapi.json">this page as AsyncAPI 3.1</a></p>
${parts.join("\n")}
</body>
</html>
`;
}
