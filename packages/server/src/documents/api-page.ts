import { definitions, escapeHtml, htmlPage, markup, recordsHtml, shapeHtml } from "./html-page.ts";
import type { OpenApiDocument, Operation } from "./openapi.ts";
import type { JsonSchema } from "./schemas.ts";

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: JsonSchema;
}

type Content = Record<string, { schema: JsonSchema }>;

/** Renders /docs: the operations of the OpenAPI document by tag, without a script. A browser's search opens them. */
export function apiPage(document: OpenApiDocument): string {
  const schemas = document.components.schemas;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const tags = document.tags as { name: string; description: string }[];
  const sections = tags.flatMap(({ name, description }) => [
    `<h2 id="${tagId(name)}">${escapeHtml(name)}</h2>\n${markup(description)}`,
    ...operations
      .filter(({ operation }) => (operation.tags as string[]).includes(name))
      .map(({ method, path, operation }) => operationHtml(`${method} ${path}`, operation, schemas)),
  ]);
  const hooks = Object.entries(document.webhooks as Record<string, { post: Operation }>);
  const contents = tags.map(({ name }) => `<li><a href="#${tagId(name)}">${escapeHtml(name)}</a></li>`).join("");
  return htmlPage("Parley API", "The HTTP API of Parley", [
    '<p><a href="/docs/events">The WebSocket API</a> · <a href="/api/openapi.json">this page as OpenAPI 3.1</a></p>',
    markup(String(document.info.description)),
    `<nav aria-label="Contents"><ul>${contents}<li><a href="#requests">Requests of this server</a></li><li><a href="#records">Records</a></li></ul></nav>`,
    ...sections,
    '<h2 id="requests">Requests of this server</h2>',
    ...hooks.map(([name, { post }]) => operationHtml(name, post, schemas)),
    '<div id="records"></div>',
    ...recordsHtml(schemas),
  ]);
}

const tagId = (name: string): string => `tag-${name.toLowerCase().replaceAll(" ", "-")}`;

function operationHtml(name: string, operation: Operation, schemas: Record<string, JsonSchema>): string {
  const parameters = (operation.parameters ?? []) as unknown as Parameter[];
  const body = operation.requestBody?.content as Content | undefined;
  const answers = Object.entries(operation.responses).map(
    ([status, { description, content }]) =>
      [
        escapeHtml(status),
        // An error's text lists its codes; its body is the record `Error`.
        markup(description) + (status.startsWith("2") ? contentHtml(content, schemas) : ""),
      ] as const,
  );
  return `<details id="${operation.operationId}">
<summary><code>${escapeHtml(name)}</code> ${escapeHtml(String(operation.summary))}</summary>
${typeof operation.description === "string" ? markup(operation.description) : ""}
${definitions([
  ["parameters", definitions(parameters.map((each) => parameterHtml(each, schemas)))],
  ["body", contentHtml(body, schemas)],
  ["answers", definitions(answers)],
])}
</details>`;
}

function parameterHtml(parameter: Parameter, schemas: Record<string, JsonSchema>): [string, string] {
  const { name, in: place, required, description, schema } = parameter;
  const text = description === undefined ? "" : markup(description);
  const about = `<p>${escapeHtml(place)}${required === true ? ", required" : ""}</p>`;
  return [`<code>${escapeHtml(name)}</code>`, about + text + shapeHtml(schema ?? {}, schemas)];
}

/** Renders what is sent, by media type. */
function contentHtml(content: Content | undefined, schemas: Record<string, JsonSchema>): string {
  return Object.entries(content ?? {})
    .map(([type, { schema }]) => `<p><code>${escapeHtml(type)}</code></p>${shapeHtml(schema, schemas)}`)
    .join("");
}
