import type { ChatMessage } from "@parley/protocol/models";
import type { Config } from "../../src/config/config.ts";
import { png } from "./pngs.ts";
import { type Client, eventually, type TestServer } from "./servers/test-server.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** Settings of a server that may show the pages of a `PreviewSite`. */
export const WITH_PREVIEWS: Partial<Config> = {
  linkPreviews: true,
  linkPreviewNetworks: ["127.0.0.1/32"],
  rateLimits: "off",
};

/** A site on this machine to which messages link. */
export class PreviewSite implements Disposable {
  /** The paths that were asked for, in order. */
  readonly asked: string[] = [];
  readonly headers: Headers[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #server: Bun.Server<undefined>;

  constructor(hostname = "127.0.0.1", port = 0) {
    this.#server = Bun.serve({
      port,
      hostname,
      idleTimeout: 60,
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        this.asked.push(pathname);
        this.headers.push(request.headers);
        return this.#answers.get(pathname)?.(request) ?? new Response("nothing", { status: 404 });
      },
    });
    this.add(
      "/picture.png",
      () => new Response(png(1_200, 630, { noise: true }), { headers: { "content-type": "image/png" } }),
    );
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  at(path: string, host = "127.0.0.1"): string {
    return `http://${host}:${this.port}${path}`;
  }

  add(path: string, answer: Answer): string {
    this.#answers.set(path, answer);
    return this.at(path);
  }

  /** Adds a page with this in its head. Returns its address. */
  page(path: string, head: string, headers: Record<string, string> = {}): string {
    const html = `<!doctype html><html><head>${head}</head><body>text</body></html>`;
    return this.add(path, () => new Response(html, { headers: { "content-type": "text/html", ...headers } }));
  }

  /** Adds a page with a title, a description, a site's name and a picture. */
  rich(path: string, title = "A title"): string {
    return this.page(
      path,
      `<title>other</title><meta property="og:title" content="${title}"><meta property="og:description" content="About it"><meta property="og:site_name" content="The site"><meta property="og:image" content="/picture.png">`,
    );
  }

  countOf(path: string): number {
    return this.asked.filter((each) => each === path).length;
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }
}

/** Returns a message's record when its previews have been made, or given up. */
export async function whenPreviewed({ ctx }: TestServer, reader: Client, messageId: number): Promise<ChatMessage> {
  await eventually("the previews are made", async () => {
    const row = await ctx.db.selectFrom("messages").select("previews").where("id", "=", messageId).executeTakeFirst();
    return row?.previews !== "";
  });
  return recordOf(reader, messageId);
}

/** Returns a message as a page shows it. */
export async function recordOf(reader: Client, messageId: number): Promise<ChatMessage> {
  const { body } = await reader.get(`/api/messages/${messageId}/thread`);
  if (body.root === undefined) throw new Error(JSON.stringify(body));
  return body.root;
}
