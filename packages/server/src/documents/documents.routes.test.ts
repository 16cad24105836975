import { describe, expect, test } from "bun:test";
import type { AppContext } from "../context.ts";
import type { Call } from "../http/route.ts";
import { routesOf } from "../module.ts";
import { documents } from "./documents.module.ts";

/** A fake server with the fields that these routes read. */
function someServer(): AppContext {
  const config = { publicUrl: null, host: "127.0.0.1", port: 3000, secureCookies: false };
  const ctx = { config, slots: new Map() } as unknown as AppContext;
  return Object.assign(ctx, { root: ctx });
}

const routes = routesOf([documents]);

/** Returns the answer of the route with that path. */
async function get(ctx: AppContext, path: string, params: Record<string, string> = {}): Promise<Response> {
  const found = routes.find((route) => route.path === path);
  if (found === undefined) throw new Error(`no route ${path}`);
  const request = new Request(`http://127.0.0.1:3000${path}`);
  const call = { ctx, params, request, headers: new Headers() } as unknown as Call<
    "open",
    undefined,
    undefined,
    undefined
  >;
  return (await found.handle(call)) as Response;
}

const page = (path: string, params?: Record<string, string>): Promise<Response> => get(someServer(), path, params);

test("the documents are generated once per server, and each has its own tag", async () => {
  const ctx = someServer();
  const tags: (string | null)[] = [];
  for (const path of ["/api/openapi.json", "/api/asyncapi.json"]) {
    const first = await get(ctx, path);
    expect((await get(ctx, path)).headers.get("etag")).toBe(first.headers.get("etag"));
    tags.push(first.headers.get("etag"));
  }
  expect(new Set(tags).size).toBe(2);
});

test("the OpenAPI document describes its own routes", async () => {
  const { openapi, paths } = (await (await page("/api/openapi.json")).json()) as { openapi: string; paths: object };
  expect(openapi).toBe("3.1.0");
  expect(Object.keys(paths)).toContain("/docs/assets/{file}");
});

test("/api says what this server is and links to pages that exist", async () => {
  const answer = (await get(someServer(), "/api")) as unknown as Record<string, string>;
  // Bun's `toMatchObject` replaces what matchers have matched, here in the object that the server answers with.
  expect({ ...answer }).toMatchObject({ api_version: "1", message: expect.stringContaining("Parley") });
  const named = Object.values(answer).filter((value) => String(value).startsWith("/"));
  expect(named.length).toBe(8);
  const paths = routes.map(({ path }) => path);
  expect(named.filter((path) => !paths.includes(path))).toEqual(["/api/ws"]);
});

describe("the pages of the API documentation", () => {
  for (const path of ["/docs", "/docs/events"]) {
    test(`${path} loads nothing from another host`, async () => {
      const response = await page(path);
      const html = await response.text();
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(
        [...html.matchAll(/(?:src|href)="([^"]*)"/g)].filter(([, url]) => !/^(\/(?!\/)|#|data:)/.test(url ?? "")),
      ).toEqual([]);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toStartWith("default-src 'none'");
      expect(policy).toEndWith("require-trusted-types-for 'script'; trusted-types 'none'");
      expect(policy).not.toMatch(/https?:|\*|unsafe|script-src/);
      expect(html).not.toMatch(/<script|<style|style=|\son\w+=/);
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const leads = [...html.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
      expect(leads.length).toBeGreaterThan(0);
      expect(leads.filter((id) => !ids.includes(id))).toEqual([]);
    });
  }

  test("/docs serves each of its files, in UTF-8", async () => {
    const html = await (await page("/docs")).text();
    const files = [...html.matchAll(/"\/docs\/assets\/([^"]+)"/g)].map(([, file]) => file ?? "");
    expect(files).toEqual(["style.css"]);
    for (const file of files) {
      const response = await page("/docs/assets/:file", { file });
      expect(response.headers.get("content-type")).toEndWith("; charset=utf-8");
      expect((await response.text()).length).toBeGreaterThan(100);
    }
  });

  test("/docs names every operation of the document", async () => {
    const html = await (await page("/docs")).text();
    const { paths } = (await (await page("/api/openapi.json")).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { operationId }] of Object.entries(methods)) {
        expect(html).toContain(`<details id="${operationId}">`);
        expect(html).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
      }
  });

  test("return 404 for unknown files", async () => {
    for (const file of ["start.js", "..%2f..%2fpackage.json", "constructor", "__proto__"]) {
      await expect(page("/docs/assets/:file", { file })).rejects.toMatchObject({ code: "not_found" });
    }
  });
});
