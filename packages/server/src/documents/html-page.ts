import { type JsonSchema, shapeOf } from "./schemas.ts";

/**
 * The policy of the pages under /docs: as strict as that of the web page, and without scripts. Nothing inline, nothing
 * from another host, and no text is ever parsed as markup.
 */
export const DOCUMENT_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

/** The style of the pages under /docs, served as a file because their policy allows no inline styles. */
export const DOCUMENT_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .6rem .8rem; border: 1px solid #8884; border-radius: 6px; margin: .2rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8884; }
h3 { margin: 1.6rem 0 0; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
summary { padding: .3rem 0; cursor: pointer; overflow-wrap: anywhere; }
summary code { font-weight: 600; }
details > :not(summary) { margin-left: 1.2rem; }
dl { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .4rem; }
dd { margin: 0; overflow-wrap: anywhere; }
p { margin: .3rem 0; }
`;

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Renders the Markdown of the API's descriptions: paragraphs, lists, `code`, bold text and links to this server. */
export function markup(text: string): string {
  return text
    .split(/\n\n+/)
    .map((block) => (block.startsWith("- ") ? list(block) : `<p>${inline(block)}</p>`))
    .join("\n");
}

function list(block: string): string {
  const items = block.split(/^- /m).slice(1);
  return `<ul>${items.map((item) => `<li>${inline(item.trim())}</li>`).join("")}</ul>`;
}

function inline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\[([^\]]+)\]\((\/(?!\/)[^)\s]*)\)/g, '<a href="$2">$1</a>');
}

/** Renders a schema as a type. The names of `records` lead to their place in the page. */
export function shapeHtml(schema: JsonSchema, records: Readonly<Record<string, unknown>>): string {
  const text = escapeHtml(shapeOf(schema)).replace(/@([A-Za-z]+)/g, (whole, name: string) =>
    Object.hasOwn(records, name) ? `<a href="#${name}">${name}</a>` : whole,
  );
  return `<pre>${text}</pre>`;
}

/** Renders the records to which types lead. */
export function recordsHtml(schemas: Readonly<Record<string, JsonSchema>>): string[] {
  return [
    "<h2>Records</h2>",
    ...Object.entries(schemas).map(([name, schema]) => {
      const text = typeof schema.description === "string" ? `${markup(schema.description)}\n` : "";
      return `<h3 id="${name}">${name}</h3>\n${text}${shapeHtml(schema, schemas)}`;
    }),
  ];
}

/** Renders names and what they mean; what has no text is left out. */
export function definitions(rows: readonly (readonly [name: string, html: string])[]): string {
  const shown = rows.filter(([, html]) => html !== "");
  if (shown.length === 0) return "";
  return `<dl>${shown.map(([name, html]) => `<dt>${name}</dt><dd>${html}</dd>`).join("")}</dl>`;
}

/** Renders a whole page; `heading` and `parts` are HTML. */
export function htmlPage(title: string, heading: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="/docs/assets/style.css">
</head>
<body>
<main>
<h1>${heading}</h1>
${parts.join("\n")}
</main>
</body>
</html>
`;
}
