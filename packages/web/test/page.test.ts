import { describe, expect, test } from "bun:test";
import { startTestServer } from "../../server/test/support/servers/test-server.ts";

describe("the page's routes", () => {
  test.each(["/", "/claim"])("%s has a strict policy and loads only files named by their content", async (path) => {
    await using server = await startTestServer();
    const page = await server.guest.get(path);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(page.body).not.toMatch(/<script>|<style|style=|onclick|https?:|%\w+%/);
    const files = [...page.body.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(new Set(files).size).toBeGreaterThanOrEqual(3);
    let scripts = 0;
    for (const path of files) {
      const file = await server.guest.get(path);
      expect(file.status).toBe(200);
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(file.body.length).toBeGreaterThan(100);
      // Compressed for clients that accept it.
      const [packed, plain] = await Promise.all(
        ["gzip", "identity"].map((coding) =>
          fetch(server.url + path, { headers: { "accept-encoding": coding }, decompress: false }),
        ),
      );
      expect([packed?.headers.get("content-encoding"), plain?.headers.get("content-encoding")]).toEqual(["gzip", null]);
      const bytes = new Uint8Array((await packed?.arrayBuffer()) ?? new ArrayBuffer());
      if (path?.endsWith(".js")) scripts += bytes.length;
      expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe((await plain?.text()) ?? "");
    }
    // The page needs these scripts before it shows anything.
    expect(scripts).toBeLessThan(150_000);
    expect((await server.guest.get("/assets/app-000000000000.js")).body.code).toBe("not_found");
    expect((await server.guest.get("/favicon.ico")).headers.get("content-type")).toStartWith("image/svg+xml");
  });

  test("pictures and sound may come from the bucket that readers are sent to, and nothing else may", async () => {
    await using server = await startTestServer({
      files: { kind: "s3", bucket: "files", prefix: "" },
      s3Endpoint: "http://127.0.0.1:9",
      s3AccessKey: "key",
      s3SecretKey: "secret",
      s3Redirect: true,
    });
    const policy = (await server.guest.get("/")).headers.get("content-security-policy") ?? "";
    expect(policy).toContain(
      "img-src 'self' http://127.0.0.1:9; media-src 'self' http://127.0.0.1:9; connect-src 'self';",
    );
    await using plain = await startTestServer();
    const own = (await plain.guest.get("/")).headers.get("content-security-policy") ?? "";
    expect(own).toContain("img-src 'self'; media-src 'self'; connect-src 'self';");
  });

  test("the icon shows a number, or a dot, that the page asks for", async () => {
    await using server = await startTestServer();
    const icon = async (badge: string) => (await fetch(`${server.url}/favicon.ico?badge=${badge}`)).text();
    expect(await icon("3")).toContain(">3</text>");
    expect(await icon("10")).toContain(">9+</text>");
    expect(await icon("0")).not.toContain("</text>");
    expect((await server.guest.get("/favicon.ico?badge=11")).body.code).toBe("invalid_request");
  });

  test("the manifest names the site and an icon that exists", async () => {
    await using server = await startTestServer({ siteName: "Harbour" });
    const { headers, body } = await server.guest.get("/manifest.webmanifest");
    expect(headers.get("content-type")).toBe("application/manifest+json");
    const manifest = typeof body === "string" ? JSON.parse(body) : body;
    expect(manifest).toMatchObject({ name: "Harbour", start_url: "/", display: "standalone" });
    expect(manifest.icons.map(({ sizes }: { sizes: string }) => sizes)).toEqual([
      "any",
      "192x192",
      "512x512",
      "512x512",
    ]);
    for (const { src, type, sizes } of manifest.icons) {
      const icon = await fetch(server.url + src);
      expect([icon.status, icon.headers.get("content-type")?.replace(/;.*/, "")]).toEqual([200, type]);
      // The width and height of a PNG are in its header.
      const header = new DataView(await icon.arrayBuffer());
      if (type === "image/png") expect(`${header.getUint32(16)}x${header.getUint32(20)}`).toBe(sizes);
    }
    expect((await server.guest.get("/icons/none.png")).body.code).toBe("not_found");
    expect((await server.guest.get("/")).body).toContain('<link rel="manifest" href="/manifest.webmanifest">');
  });

  test("the service worker is a script at the root that browsers ask for again, and whose policy allows little", async () => {
    await using server = await startTestServer();
    const { status, headers, body } = await server.guest.get("/sw.js?language=zh");
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("content-security-policy")).toStartWith("default-src 'none'; connect-src 'self';");
    expect(body).toContain("pushsubscriptionchange");
    // Nothing of the chat is kept or answered by it.
    expect(body).not.toMatch(/caches|"fetch"/);
    const page = await server.guest.get("/");
    expect(page.headers.get("content-security-policy")).toContain("worker-src 'self'");
  });
});
