import { expect, test } from "bun:test";
import { forAllTests } from "../../test/support/for-all-tests.ts";
import { startTestServer } from "../../test/support/servers/test-server.ts";
import { tarball } from "./tarball.ts";

const server = await forAllTests(startTestServer());

test("a tarball has its files with their content, as tar reads it, and always the same bytes", async () => {
  const files = { "package.json": "{}", "main.js": "x".repeat(1_500), LICENSE: "a".repeat(512) };
  const bytes = tarball(files);
  expect(tarball(files)).toEqual(bytes);
  const tar = Bun.spawn(["tar", "-xzO", "package/main.js", "package/LICENSE"], { stdin: bytes, stdout: "pipe" });
  expect(await tar.stdout.text()).toBe(files["main.js"] + files.LICENSE);
  expect(await tar.exited).toBe(0);
});

test.each(["parley-acp", "parley-claude-channel"])(
  "%s is served with a tag, small, and without scripts or our packages",
  async (name) => {
    const response = await fetch(`${server.url}/clients/${name}.tgz?v=0.3.0`);
    const bytes = await response.bytes();
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-cache"]);
    expect(response.headers.get("content-type")).toBe("application/gzip");
    expect(bytes.length).toBeLessThan(100_000);
    const etag = response.headers.get("etag") ?? "";
    const again = await fetch(`${server.url}/clients/${name}.tgz`, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const tar = Bun.spawn(["tar", "-xzO", "package/package.json"], { stdin: bytes, stdout: "pipe" });
    const manifest = await tar.stdout.json();
    expect([manifest.name, manifest.bin, manifest.scripts, manifest.devDependencies]).toEqual([
      name,
      { [name]: "main.js" },
      undefined,
      undefined,
    ]);
    for (const [each, version] of Object.entries(manifest.dependencies)) {
      expect(each.startsWith("@parley/")).toBe(false);
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  },
);

test("no other file is served there", async () => {
  const { status, body } = await server.guest.get("/clients/main.ts");
  expect([status, body.code]).toEqual([404, "not_found"]);
});
