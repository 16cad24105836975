import { describe, expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { onPostgres } from "../support/databases.ts";

describe("the page of a cluster", () => {
  test("gets its files from any node, also those of a release that only other nodes run", async () => {
    await using cluster = await startNodes(2, { bus: "memory" });
    const [one, two] = cluster.nodes.map(({ url }) => url);
    const html = await (await fetch(`${one}/`)).text();
    const script = /src="(\/assets\/[^"]+)"/.exec(html)?.[1] ?? "";
    const stored = await onPostgres("select path, length(bytes) as length from web_files", cluster.databaseUrl);
    expect(stored.map(({ path }) => path)).toContain(script);
    const older = "/assets/app-0123456789ab.js";
    await onPostgres(
      `insert into web_files (path, type, bytes, stored_at)
       values ('${older}', 'text/javascript; charset=utf-8', 'let old = 1;', 0)`,
      cluster.databaseUrl,
    );
    for (const url of [one, two]) {
      const answer = await fetch(url + older);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(answer.headers.get("cache-control")).toContain("immutable");
      expect(await answer.text()).toBe("let old = 1;");
    }
    expect((await fetch(`${two}/assets/app-ffffffffffff.js`)).status).toBe(404);
  });
});
