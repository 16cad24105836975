import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { PREVIEWS_PER_MINUTE, PREVIEWS_PER_SENDER } from "@parley/protocol/previews";
import { takenSince } from "../../src/previews/previews.store.ts";
import { datedClock } from "../support/clock.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { png } from "../support/pngs.ts";
import { PreviewSite, recordOf, WITH_PREVIEWS, whenPreviewed } from "../support/preview-site.ts";
import { sayId } from "../support/say.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";

const KIB = 1_024;
const MIB = KIB * KIB;
const HTML = { headers: { "content-type": "text/html" } };

/** Pages of strangers who want something else than a preview (protocol §13.4, §13.12). */
describe("a server that may reach this machine", async () => {
  const site = new PreviewSite("0.0.0.0");
  const server = await forAllTests(startTestServer(WITH_PREVIEWS));
  /** Returns the previews of a link that a new user sends. */
  const previewsOf = async (...links: string[]) => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    return (await whenPreviewed(server, ann, await sayId(ann, id, links.join(" ")))).previews ?? [];
  };

  test("follows three redirects, and checks each address that they lead to", async () => {
    const redirect = (path: string, location: string) =>
      site.add(path, () => new Response(null, { status: 302, headers: { location } }));
    site.page("/inside", "<title>Inside</title>");
    redirect("/r1", "/r2");
    redirect("/r2", site.at("/r3"));
    redirect("/r3", "/inside");
    expect(await previewsOf(site.at("/r1"))).toMatchObject([{ url: site.at("/r1"), title: "Inside" }]);
    redirect("/r0", "/r1");
    redirect("/loop", "/loop");
    // Only 127.0.0.1 is allowed; the site listens on the others, too.
    redirect("/to-other", site.at("/inside", "127.0.0.2"));
    redirect("/to-six", site.at("/inside", "[::1]"));
    redirect("/to-name", site.at("/inside", "localhost"));
    redirect("/to-cloud", "http://169.254.169.254/latest/meta-data/");
    redirect("/to-file", "file:///etc/passwd");
    redirect("/to-script", "javascript:alert(1)");
    redirect("/to-user", `http://user:secret@127.0.0.1:${site.port}/inside`);
    site.add("/to-nowhere", () => new Response(null, { status: 302 }));
    const before = site.countOf("/inside");
    for (const [one, ...others] of [
      ["/r0", "/loop", "/to-other"],
      ["/to-six", "/to-cloud", "/to-file"],
      ["/to-script", "/to-user", "/to-nowhere"],
    ])
      expect(await previewsOf(site.at(one ?? ""), ...others.map((path) => site.at(path)))).toEqual([]);
    expect([site.countOf("/inside"), site.countOf("/loop")]).toEqual([before, 4]);
  });

  test("reads 512 KiB of an endless page, and shows what their head says", async () => {
    let sent = 0;
    site.add("/endless", () => {
      const body = new ReadableStream({
        pull(controller) {
          const piece = sent === 0 ? "<title>Endless</title>" : "x".repeat(64 * KIB);
          sent += piece.length;
          if (sent > 1_024 * MIB) controller.close();
          else controller.enqueue(new TextEncoder().encode(piece));
        },
      });
      return new Response(body, HTML);
    });
    expect(await previewsOf(site.at("/endless"))).toMatchObject([{ title: "Endless" }]);
    // The rest is what the sockets of both sides hold.
    expect(sent).toBeLessThan(64 * MIB);
    site.add("/title", () => new Response(`<title>${"long ".repeat(2 * MIB)}`, HTML));
    const [{ title = "" } = {}] = await previewsOf(site.at("/title"));
    expect([...title].length).toBeLessThanOrEqual(200);
  });

  test("does not wait for a page that never ends, nor for one that never begins", async () => {
    const unended = () =>
      new ReadableStream({
        async pull(controller) {
          controller.enqueue(new TextEncoder().encode("<p>"));
          await new Promise(() => {});
        },
      });
    site.add("/slow", () => new Response(unended(), HTML));
    site.add("/silent", () => new Promise<Response>(() => {}));
    const fast = site.page("/fast", "<title>Fast</title>");
    const slow = previewsOf(site.at("/slow"), site.at("/silent"), fast);
    expect(await previewsOf(fast)).toHaveLength(1);
    expect(await slow).toMatchObject([{ title: "Fast" }]);
  });

  test("takes a page by what it is, not by what it claims to be", async () => {
    const bytes = png(20, 20);
    site.add("/lies.html", () => new Response(bytes, HTML));
    site.add(
      "/lies.png",
      () => new Response("<title>no picture</title>", { headers: { "content-type": "image/png" } }),
    );
    site.add(
      "/download",
      () => new Response("<title>no page</title>", { headers: { "content-type": "application/zip" } }),
    );
    expect(await previewsOf(site.at("/lies.html"), site.at("/lies.png"), site.at("/download"))).toEqual([]);
    site.add("/error", () => new Response("<title>broken</title>", { status: 500, ...HTML }));
    site.add("/zipped", () => {
      const bomb = gzipSync(Buffer.alloc(10 * MIB, "<p>"));
      return new Response(bomb, { headers: { "content-type": "text/html", "content-encoding": "gzip" } });
    });
    const cyrillic = new Uint8Array([...Buffer.from("<title>"), 0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    site.add(
      "/cyrillic",
      () => new Response(cyrillic, { headers: { "content-type": "text/html; charset=windows-1251" } }),
    );
    expect(await previewsOf(site.at("/error"), site.at("/zipped"), site.at("/cyrillic"))).toMatchObject([
      { title: "Привет" },
    ]);
    const asked = site.page("/asked", "<title>T</title>", { "x-robots-tag": "noindex" });
    expect(await previewsOf(asked)).toEqual([]);
  });

  test("shows no picture that is a script, a bomb, a lie, too large, or elsewhere inside", async () => {
    const pictured = (n: number, picture: string) =>
      site.page(`/pictured/${n}`, `<title>T${n}</title><meta property="og:image" content="${picture}">`);
    site.add("/svg", () => new Response(`<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>`));
    site.add("/bomb.png", () => new Response(hugeCanvas()));
    site.add("/heavy.png", () => new Response(Buffer.concat([png(10, 10), Buffer.alloc(3 * MIB)])));
    const pictures = [
      "javascript:alert(1)",
      `data:image/png;base64,${png(4, 4).toString("base64")}`,
      site.at("/svg"),
      site.at("/bomb.png"),
      site.at("/heavy.png"),
      site.at("/picture.png", "127.0.0.2"),
      "//[::1]/picture.png",
      "not a url at all:",
      "",
    ];
    for (const [n, picture] of pictures.entries()) {
      expect(await previewsOf(pictured(n, picture))).toMatchObject([{ title: `T${n}`, image_url: null }]);
    }
  });

  test("shows titles without characters that hide or turn text", async () => {
    const url = site.page("/hidden", "<title>pay\u202Epal\u200B.com\u2066 \u{e0041}&#x202E;&#0;ok</title>");
    expect((await previewsOf(url))[0]?.title).toBe("paypal.com \uFFFDok");
  });
});

describe("a server in an ordinary network", async () => {
  const site = new PreviewSite("0.0.0.0");
  const server = await forAllTests(
    startTestServer({ ...WITH_PREVIEWS, linkPreviewNetworks: [], egressAllow: ["127.0.0.0/8"] }),
  );

  test("asks no address inside it, whatever its name is", async () => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    site.page("/inside", "<title>Inside</title>");
    for (const host of [
      "127.0.0.1",
      "localhost",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "169.254.169.254",
      "2130706433",
      "10.0.0.1",
    ]) {
      const links = `https://${host}:${site.port}/inside http://${host}:${site.port}/inside`;
      expect((await whenPreviewed(server, ann, await sayId(ann, id, links))).previews).toBeUndefined();
    }
    expect(site.asked).toEqual([]);
  });
});

describe("a flood of links", async () => {
  const clock = datedClock();
  const site = new PreviewSite();
  const server = await forAllTests(startTestServer(WITH_PREVIEWS, { clock }));
  const minute = () => takenSince(server.ctx.db, clock.now() - 60_000);
  const flood = async (user: Client, id: number, name: string, count: number) => {
    const ids: number[] = [];
    for (let n = 0; n < count; n += 1)
      ids.push(await sayId(user, id, site.page(`/${name}/${n}`, `<title>${name} ${n}</title>`)));
    return ids;
  };

  test("of one user takes their share of a minute, and leaves the rest to others", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann);
    const ids = await flood(ann, id, "ann", PREVIEWS_PER_SENDER + 5);
    await eventually("the share is used up", async () => (await minute()) === PREVIEWS_PER_SENDER);
    const url = site.page("/ben", "<title>Ben</title>");
    expect((await whenPreviewed(server, ben, await sayId(ben, id, url))).previews).toHaveLength(1);
    expect(await minute()).toBe(PREVIEWS_PER_SENDER + 1);
    clock.ahead += 61_000;
    for (const each of ids) expect((await whenPreviewed(server, ann, each)).previews).toHaveLength(1);
  });

  test("of many users is bounded for all together, and what waits too long is given up", async () => {
    clock.ahead += 61_000;
    const { id } = await newChannel(await server.newUser());
    const ids: number[] = [];
    for (let user = 0; user < 4; user += 1)
      ids.push(...(await flood(await server.newUser(), id, `user${user}`, PREVIEWS_PER_SENDER - 2)));
    await eventually("the minute is full", async () => (await minute()) === PREVIEWS_PER_MINUTE);
    const reader = await server.newUser();
    const without = async () => {
      const records = await Promise.all(ids.map((each) => recordOf(reader, each)));
      return records.filter(({ previews }) => previews === undefined).length;
    };
    const waiting = ids.length - PREVIEWS_PER_MINUTE;
    await eventually("the others are shown", async () => (await without()) === waiting);
    expect(await minute()).toBe(PREVIEWS_PER_MINUTE);
    clock.ahead += 11 * 60_000;
    for (const each of ids) await whenPreviewed(server, reader, each);
    expect(await without()).toBe(waiting);
  });
});

/** A PNG that claims 30,000 pixels on each side. */
function hugeCanvas(): Buffer {
  const bytes = Buffer.from(png(10, 10));
  bytes.writeUInt32BE(30_000, 16);
  bytes.writeUInt32BE(30_000, 20);
  return bytes;
}
