import { expect, test } from "bun:test";
import { Glob } from "bun";
import { guideOf } from "../../module.ts";
import { MODULES } from "../../modules.ts";
import { type LoadedPage, loadPages, renderPage } from "./render.ts";

const PAGES = await loadPages(guideOf(MODULES));
const ROOT = new URL("../../../../../", import.meta.url).pathname;

/** The guides for operators, who have the repository. */
const OPERATORS = [
  "chains",
  "deployment",
  "key-claims-networks",
  "managed-postgresql",
  "payouts",
  "several-nodes",
  "single-sign-on",
  "tour",
  "upgrading",
];

test("every page of docs/guide is served, or is for operators", () => {
  const files = [...new Glob("docs/guide/*.md").scanSync({ cwd: ROOT })].sort();
  const served = PAGES.map(({ source }) => source);
  const forOperators = OPERATORS.map((name) => `docs/guide/${name}.md`);
  expect(files.filter((file) => !served.includes(file))).toEqual(forOperators);
});

test("every page has a name of its own, and is the file that it names", async () => {
  expect(new Set(PAGES.map(({ name }) => name)).size).toBe(PAGES.length);
  for (const { name, source, text } of PAGES) {
    expect(await Bun.file(ROOT + source).text()).toBe(text);
    if (source.startsWith("docs/")) expect(source).toEndWith(`/${name}.md`);
  }
});

const BASE = "https://chat.example";

function rendered(text: string): string {
  const page: LoadedPage = { name: "a", source: "docs/guide/a.md", text, about: "", part: "more" };
  const other: LoadedPage = { ...page, name: "b", source: "docs/reference/b.md" };
  return renderPage(page, [page, other], BASE);
}

test.each([
  ["a link to a served page", "See [b](../reference/b.md#two).", `See [b](${BASE}/guide/b.md#two).`],
  ["a link to a file that is not served", "See [`main.ts`](../../packages/main.ts) there.", "See `main.ts` there."],
  ["a link within the page", "See [above](#one).", "See [above](#one)."],
  ["a link to another site", "See [x](https://x.example/y).", "See [x](https://x.example/y)."],
  ["a path of the server", "See [docs](/docs).", `See [docs](${BASE}/docs).`],
  ["an image", "Before.\n\n![The page](../images/page.png)\n\nAfter.", "Before.\n\nAfter."],
  ["an address in an example", "```\ncurl http://127.0.0.1:3000/x\n```", `\`\`\`\ncurl ${BASE}/x\n\`\`\``],
  ["the address of a public server", "Open https://chat.example.org/mcp.", `Open ${BASE}/mcp.`],
  ["a link in a code block", "```\n[a](b.md)\n```\n", "```\n[a](b.md)\n```\n"],
  ["the note of a generated page", "<!-- Generated. -->\n# Codes", "# Codes"],
])("%s is served as its readers need it", (_, text, expected) => {
  expect(rendered(text)).toBe(expected);
});
