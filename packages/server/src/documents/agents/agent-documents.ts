import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { TextDocument } from "../../http/answers/compressed.ts";
import { ownOrigin } from "../../http/origin.ts";
import { type LoadedPage, renderPage } from "../guide/render.ts";
import { apiCatalog, robots, SKILL_PATH, skillIndex } from "./discovery.ts";
import { llmsFullText, llmsText, morePointers } from "./llms.ts";
import { skillText } from "./skill.ts";

const MARKDOWN = "text/markdown; charset=utf-8";
const JSON_TYPE = "application/json";
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** Addresses for which the documents are kept. Only servers without a public URL have more than one. */
const MAX_BASES = 8;

/**
 * A name or an address with an optional port: nothing that means something to a shell or in Markdown, and no longer than
 * a name can be, because the documents repeat it hundreds of times.
 */
const PLAIN_ORIGIN = /^https?:\/\/(?:[\w.-]{1,253}|\[[\da-f:.]+\])(?::\d+)?$/i;

/** The documents for one address of this server, each made when it is first asked for. */
export class AgentDocuments {
  readonly #made = new Map<string, TextDocument>();
  readonly #makers: ReadonlyMap<string, () => TextDocument>;

  constructor(base: string, pages: readonly LoadedPage[], ctx: AppContext) {
    const markdown = (make: () => string) => () => new TextDocument(make(), MARKDOWN);
    const json = (make: () => object, type: string) => () => new TextDocument(JSON.stringify(make(), null, 2), type);
    const skill = () => skillText(base, ctx.config, morePointers(base, pages));
    this.#makers = new Map([
      ["/llms.txt", markdown(() => llmsText(base, pages, ctx.config))],
      ["/llms-full.txt", markdown(() => llmsFullText(base, pages, ctx.config))],
      ["/skill.md", markdown(skill)],
      [SKILL_PATH, markdown(skill)],
      ["/.well-known/agent-skills/index.json", json(() => skillIndex(base, skill()), JSON_TYPE)],
      ["/.well-known/api-catalog", json(() => apiCatalog(base), LINKSET)],
      ["/robots.txt", () => new TextDocument(robots(base), "text/plain; charset=utf-8")],
      ...pages.map((page): [string, () => TextDocument] => [
        `/guide/${page.name}.md`,
        markdown(() => renderPage(page, pages, base)),
      ]),
    ]);
  }

  /** Returns the document at a path. @throws not_found */
  at(path: string): TextDocument {
    const found = this.#made.get(path);
    if (found !== undefined) return found;
    const make = this.#makers.get(path);
    if (make === undefined) throw fail("not_found");
    const made = make();
    this.#made.set(path, made);
    return made;
  }
}

const sets = perServer(() => new Map<string, AgentDocuments>());

/** Answers with the document at `path`, in which this server has the address by which the caller reached it. */
export function serveDocument(
  ctx: AppContext,
  request: Request,
  path: string,
  pages: readonly LoadedPage[],
  more: Record<string, string> = {},
): Response {
  const base = ownOrigin(ctx.config, request);
  if (!PLAIN_ORIGIN.test(base)) throw fail("invalid_request", { message: "The header Host does not contain a host." });
  const kept = sets(ctx);
  let documents = kept.get(base);
  if (documents === undefined) {
    if (kept.size >= MAX_BASES) kept.clear();
    documents = new AgentDocuments(base, pages, ctx);
    kept.set(base, documents);
  }
  // Without a public URL the text names the host of the request, which anybody can choose: no shared cache may keep it.
  const cacheControl = ctx.config.publicUrl === null ? "private, no-cache" : "public, max-age=300";
  return documents.at(path).respond(request, { "cache-control": cacheControl, ...more });
}
