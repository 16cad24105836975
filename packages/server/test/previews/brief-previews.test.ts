import { afterAll, expect, test } from "bun:test";
import { decoderQueue } from "../../src/files/pictures/decoder-queue.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { PreviewSite, WITH_PREVIEWS, whenPreviewed } from "../support/preview-site.ts";
import { sayId } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const BRIEF_MS = 10 * 60_000;
/** One picture at the decoder, and all that may wait behind it. */
const DECODER_FULL = 33;

/** Protocol §13.4: how long the server remembers a fetch that another moment might not have failed. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const site = new PreviewSite();
  afterAll(() => site[Symbol.dispose]());
  const server = await forAllTests(startTestServer(WITH_PREVIEWS, { database: await open(), clock }));
  const ann = await server.newUser();
  const { id } = await newChannel(ann);
  const previewsOf = async (url: string) => (await whenPreviewed(server, ann, await sayId(ann, id, url))).previews;
  const withoutPicture = [{ title: "A title", image_url: null }];
  const whole = [{ title: "A title", image_url: expect.any(String) }];

  test("a picture for which the decoder was too busy is fetched again after ten minutes, and not before", async () => {
    const url = site.rich("/while-busy");
    const busy = Promise.withResolvers<void>();
    const queue = decoderQueue(server.ctx);
    const turns = Array.from({ length: DECODER_FULL }, () => queue.run("another", () => busy.promise));
    expect(await previewsOf(url)).toMatchObject(withoutPicture);
    busy.resolve();
    await Promise.all(turns);
    expect(await previewsOf(url)).toMatchObject(withoutPicture);
    expect(site.countOf("/while-busy")).toBe(1);
    clock.ahead += BRIEF_MS;
    expect(await previewsOf(url)).toMatchObject(whole);
    clock.ahead += BRIEF_MS;
    expect(await previewsOf(url)).toMatchObject(whole);
    expect(site.countOf("/while-busy")).toBe(2);
  });

  test.each([429, 503])(
    "a picture, and a page, that answers with %d is fetched again after ten minutes",
    async (status) => {
      const picture = site.add(`/${status}.png`, () => new Response("later", { status }));
      const url = site.page(`/with-${status}`, `<title>A title</title><meta property="og:image" content="${picture}">`);
      const page = site.add(`/${status}`, () => new Response("later", { status }));
      expect(await previewsOf(url)).toMatchObject(withoutPicture);
      expect(await previewsOf(page)).toBeUndefined();
      site.add(`/${status}.png`, () => fetch(site.at("/picture.png")));
      site.rich(`/${status}`);
      clock.ahead += BRIEF_MS;
      expect(await previewsOf(url)).toMatchObject(whole);
      expect(await previewsOf(page)).toMatchObject(whole);
    },
  );

  test("a page that refuses connections is fetched again after ten minutes", async () => {
    const gone = new PreviewSite();
    const { port } = gone;
    const url = gone.rich("/gone");
    gone[Symbol.dispose]();
    expect(await previewsOf(url)).toBeUndefined();
    using back = new PreviewSite("127.0.0.1", port);
    back.rich("/gone");
    clock.ahead += BRIEF_MS;
    expect(await previewsOf(url)).toMatchObject(whole);
  });

  test("a missing page, and one that is no picture, is not fetched again for a day", async () => {
    const picture = site.add("/no.png", () => new Response("<p>", { headers: { "content-type": "image/png" } }));
    const url = site.page("/with-no", `<title>A title</title><meta property="og:image" content="${picture}">`);
    for (let time = 0; time < 2; time += 1) {
      expect(await previewsOf(url)).toMatchObject(withoutPicture);
      expect(await previewsOf(site.at("/missing"))).toBeUndefined();
      clock.ahead += BRIEF_MS;
    }
    expect([site.countOf("/missing"), site.countOf("/no.png")]).toEqual([1, 1]);
  });
});
