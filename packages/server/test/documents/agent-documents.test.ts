import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const TEXTS = [
  "/llms.txt",
  "/llms-full.txt",
  "/skill.md",
  "/.well-known/agent-skills/parley/SKILL.md",
  "/guide/agents.md",
];
const ALL = [...TEXTS, "/robots.txt", "/.well-known/agent-skills/index.json", "/.well-known/api-catalog"];
/** Addresses that the catalog names and that answer no plain GET. */
const ENDPOINTS = ["/api/ws", "/mcp"];
const COMPRESSED = [...ALL, "/api/openapi.json", "/api/asyncapi.json"];

const server = await forAllTests(startTestServer());

const read = async (path: string): Promise<string> => (await fetch(server.url + path)).text();

/** Returns the targets of a document's links, except those within the page. */
function links(text: string): string[] {
  const pattern = text.startsWith("{") ? /"(?:href|url)": "([^"]+)"/g : /\]\(([^)\s]+)\)/g;
  const targets = [...text.replace(/^```.*?^```/gms, "").matchAll(pattern)].map(([, target = ""]) => target);
  return targets.filter((target) => !target.startsWith("#"));
}

describe("the documents for agents", () => {
  test.each(TEXTS)("%s is Markdown in UTF-8", async (path) => {
    const { status, headers } = await fetch(server.url + path);
    expect([status, headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  });

  test("llms.txt and SKILL.md name the door for bots made for Telegram", async () => {
    for (const path of ["/llms.txt", "/skill.md"]) expect(await read(path)).toContain(`\`${server.url}/telegram\``);
  });

  test("llms.txt is at most 8 KiB, and SKILL.md has at most 500 lines", async () => {
    expect(Buffer.byteLength(await read("/llms.txt"))).toBeLessThanOrEqual(8 * 1024);
    expect((await read("/skill.md")).split("\n").length).toBeLessThanOrEqual(500);
  });

  test("every link in llms.txt, the catalog, the index and every linked page answers 200", async () => {
    const todo = ALL.filter((path) => path !== "/robots.txt");
    const seen = new Set(todo);
    const broken: string[] = [];
    for (const path of todo) {
      for (const target of links(await read(path))) {
        if (!/^https?:/.test(target)) broken.push(`${path}: ${target} is relative`);
        const address = target.startsWith(server.url) ? new URL(target).pathname : undefined;
        if (address === undefined || seen.has(address)) continue;
        seen.add(address);
        if (address.startsWith("/guide/")) todo.push(address);
        const { status } = await fetch(server.url + address);
        if (status !== 200 && !ENDPOINTS.includes(address)) broken.push(`${path}: ${target} answers ${status}`);
      }
    }
    expect(broken).toEqual([]);
    expect(seen.size).toBeGreaterThan(20);
  });

  test("every link to a heading of a page leads to one", async () => {
    const headings = new Map<string, Set<string>>();
    const broken: string[] = [];
    const pages = links(await read("/llms.txt")).map((target) => target.slice(server.url.length));
    const texts = await Promise.all(
      pages.filter((path) => path.endsWith(".md")).map(async (path) => [path, await read(path)] as const),
    );
    for (const [path, text] of texts) headings.set(path, anchors(text));
    for (const [path, text] of texts) {
      for (const [, target = ""] of text.matchAll(/\]\(([^)\s]*#[^)\s]+)\)/g)) {
        const [page = "", anchor = ""] = target.replace(server.url, "").split("#");
        if (headings.get(page === "" ? path : page)?.has(anchor) !== true) broken.push(`${path}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test("the index of skills has the digest of the bytes that its address returns", async () => {
    const index = JSON.parse(await read("/.well-known/agent-skills/index.json"));
    expect(index.$schema).toBe("https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    expect(index.skills).toHaveLength(1);
    const [skill] = index.skills;
    expect(skill).toMatchObject({ name: "parley", type: "skill-md" });
    const bytes = await (await fetch(skill.url)).bytes();
    expect(skill.digest).toBe(`sha256:${createHash("sha256").update(bytes).digest("hex")}`);
    expect(await read("/skill.md")).toBe(new TextDecoder().decode(bytes));
  });

  test("the catalog is a link set that lists the APIs, and its own address links to itself", async () => {
    const answer = await fetch(`${server.url}/.well-known/api-catalog`, { method: "HEAD" });
    expect(answer.headers.get("content-type")).toStartWith("application/linkset+json");
    expect(answer.headers.get("link")).toContain('rel="api-catalog"');
    const { linkset } = JSON.parse(await read("/.well-known/api-catalog"));
    expect(linkset[0].item).toContainEqual({ href: `${server.url}/api` });
    const api = linkset.find(({ anchor }: { anchor: string }) => anchor === `${server.url}/api`);
    expect(api["service-desc"][0].href).toBe(`${server.url}/api/openapi.json`);
  });

  test("/ and /api name the documents in their header Link, and robots.txt keeps crawlers from messages", async () => {
    for (const path of ["/", "/api"]) {
      const link = (await fetch(server.url + path)).headers.get("link") ?? "";
      for (const [, target = ""] of link.matchAll(/<([^>]+)>/g))
        expect((await fetch(server.url + target)).status).toBe(200);
      expect(link).toContain("</llms.txt>");
    }
    expect(await read("/robots.txt")).toContain("\nDisallow: /api/\n");
  });

  test("unknown pages of the guide and agent-card.json answer 404", async () => {
    const paths = ["/guide/deployment.md", "/guide/nothing", "/guide/..%2fskill.md", "/guide/__proto__"];
    for (const path of [...paths, "/.well-known/agent-card.json"]) {
      expect([path, (await server.guest.get(path)).body.code]).toEqual([path, "not_found"]);
    }
  });
});

describe("caching of the documents", () => {
  test.each(COMPRESSED)("%s is compressed, and answers 304 to a client that has it", async (path) => {
    const plain = await fetch(server.url + path, { headers: { "accept-encoding": "identity" } });
    const text = await plain.text();
    const packed = await fetch(server.url + path, { headers: { "accept-encoding": "gzip" }, decompress: false });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await packed.bytes()).toString()).toBe(text);
    for (const { headers } of [plain, packed]) expect(headers.get("vary")).toBe("accept-encoding");
    const etag = plain.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(packed.headers.get("etag")).toBe(etag);
    const again = await fetch(server.url + path, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    const head = await fetch(server.url + path, { method: "HEAD", headers: { "accept-encoding": "identity" } });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("without a public URL each caller gets the address they used, and no shared cache keeps it", async () => {
    const forged = await fetch(`${server.url}/llms.txt`, { headers: { host: "evil.example:81" } });
    expect(await forged.text()).toContain("http://evil.example:81/skill.md");
    expect(forged.headers.get("cache-control")).toBe("private, no-cache");
    expect(await read("/llms.txt")).toContain(`${server.url}/skill.md`);
    expect(await read("/llms.txt")).not.toContain("evil");
    for (const host of ["a$(reboot).example", "a`b`", "x;y", "a b", "a'b", `${"a".repeat(250)}.com`]) {
      const { status, body } = await server.guest.get("/skill.md", { headers: { host } });
      expect([host, status]).toEqual([host, 400]);
      expect(JSON.stringify(body)).not.toContain("reboot");
    }
  });

  test("many hosts are served without keeping a copy for each", async () => {
    for (let n = 0; n < 30; n++) {
      const answer = await fetch(`${server.url}/skill.md`, { headers: { host: `h${n}.example` } });
      expect(await answer.text()).toContain(`http://h${n}.example/`);
    }
    expect(await read("/skill.md")).toContain(server.url);
  });

  test("with a public URL all callers get that address, whatever host they name", async () => {
    await using named = await startTestServer({ publicUrl: "https://chat.example.org" });
    const answer = await fetch(`${named.url}/llms.txt`, { headers: { host: "evil.example" } });
    expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
    const text = await answer.text();
    expect(text).toContain("https://chat.example.org/skill.md");
    expect(text).not.toMatch(/evil|127\.0\.0\.1/);
  });
});

test("the documents show the limits of this server", async () => {
  const inDevelopment = await read("/skill.md");
  await using strict = await startTestServer({ rateLimits: "on", rateFactor: 1, agentLoopLimit: 7 });
  const text = await (await fetch(`${strict.url}/skill.md`)).text();
  expect(text).toContain("| messages | 60 in 60 seconds |");
  expect(text).toContain("at most 7 messages in a row");
  expect(inDevelopment).not.toContain("at most 7 messages");
  await using free = await startTestServer({ rateLimits: "off", agentLoopLimit: 0 });
  expect(await (await fetch(`${free.url}/skill.md`)).text()).toContain("This server applies no rate limits.");
});

test("the documents hold nothing of a channel, and nothing of an agent", async () => {
  const before = await Promise.all(ALL.map(read));
  const ann = await server.user("ann");
  const { apiKey } = await server.agent("Zanzibar");
  await ann.post("/api/channels", { name: "Quokka sightings" });
  await ann.post("/api/messages", { channel_slug: "general", content: "a wombat passed" });
  const asked = await Promise.all(
    ALL.map(async (path) =>
      (await fetch(server.url + path, { headers: { authorization: `Bearer ${apiKey}` } })).text(),
    ),
  );
  expect(asked).toEqual(before);
});

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchors(text: string): Set<string> {
  const headings = [...text.replace(/^```.*?^```/gms, "").matchAll(/^#+ (.*)$/gm)].map(([, line = ""]) => line);
  return new Set(
    headings.map((line) =>
      line
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
