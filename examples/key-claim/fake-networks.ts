/**
 * Simulates X, Bluesky and a Mastodon instance, to try a key claim and for tests. Implements the part of their APIs
 * that a lookup needs: bun examples/key-claim/fake-networks.ts --port 4010
 *
 * Write a post (the response contains its URL; a handle always belongs to the same account):
 *   curl -d '{"network":"bluesky","handle":"ana.example.com","text":"my code is K7QM-2RTX"}'
 *   http://127.0.0.1:4010/posts
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";

export interface NewPost {
  network: "x" | "bluesky" | "mastodon";
  handle: string;
  text: string;
  /** Epoch milliseconds; default now. */
  createdAt?: number;
  /** The post's relation to somebody else's post; default `original`. Bluesky has no posts that are reposts. */
  kind?: "original" | "repost" | "reply" | "quote";
}

interface Post extends Required<NewPost> {
  id: string;
  accountId: string;
  url: string;
}

/** The host of the Mastodon instance in URLs of posts. */
const INSTANCE = "mastodon.local";
/** X truncates longer texts and returns the full text in a separate field. */
const X_SHORT = 280;
/** The author of the posts that other posts refer to. */
const STRANGER = "7";

export class FakeNetworks implements Disposable {
  readonly #server: Bun.Server<undefined>;
  readonly #posts = new Map<string, Post>();
  #written = 0;
  /** If set, every API responds with this status instead of a post: 429, 503, … */
  failing: number | null = null;

  constructor(port = 0) {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port, fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return this.#server.url.origin;
  }

  /** The settings that make a Parley server look up posts here. The credentials are made up. */
  get settings(): Record<string, string> {
    return {
      PARLEY_X_API_URL: this.url,
      PARLEY_X_BEARER_TOKEN: "local",
      PARLEY_TWITTERAPI_IO_URL: this.url,
      PARLEY_TWITTERAPI_IO_KEY: "local",
      PARLEY_BLUESKY_API_URL: this.url,
      PARLEY_MASTODON_INSTANCES: `${INSTANCE}=${this.url}`,
    };
  }

  /** Writes a post; returns its URL on the network. */
  write(post: NewPost): string {
    if (typeof post.handle !== "string" || typeof post.text !== "string")
      throw new Error("A post has handle and text.");
    const id = idOf(post.network, this.#written++);
    const accountId = accountOf(post);
    const url = addressOf(post, id);
    this.#posts.set(url, { createdAt: Date.now(), kind: "original", ...post, id, accountId, url });
    return url;
  }

  /** Deletes a post, as its author would. */
  delete(url: string): void {
    this.#posts.delete(url);
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }

  #find(network: Post["network"], id: string | undefined): Post | undefined {
    return [...this.#posts.values()].find((post) => post.network === network && post.id === id);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/posts") return this.#postsPage(request);
    if (this.failing !== null) return Response.json({ title: "No." }, { status: this.failing });
    const [, id] = /^\/(?:2\/tweets|api\/v1\/statuses)\/(\d+)$/.exec(pathname) ?? [];
    if (pathname.startsWith("/2/tweets/")) return xAnswer(request, this.#find("x", id));
    if (pathname.startsWith("/api/v1/statuses/")) return mastodonAnswer(this.#find("mastodon", id));
    switch (pathname) {
      case "/twitter/tweets":
        return twitterApiIoAnswer(request, this.#find("x", searchParams.get("tweet_ids") ?? ""));
      case "/xrpc/com.atproto.identity.resolveHandle":
        return this.#resolve(searchParams.get("handle") ?? "");
      case "/xrpc/app.bsky.feed.getPosts":
        return blueskyAnswer(this.#find("bluesky", searchParams.get("uris")?.split("/").at(-1)));
      default:
        return Response.json({ error: "Not found." }, { status: 404 });
    }
  }

  async #postsPage(request: Request): Promise<Response> {
    if (request.method !== "POST") return Response.json([...this.#posts.values()]);
    try {
      return Response.json({ url: this.write((await request.json()) as NewPost) }, { status: 201 });
    } catch {
      return Response.json({ error: "Send {network, handle, text} as JSON." }, { status: 400 });
    }
  }

  #resolve(handle: string): Response {
    const author = [...this.#posts.values()].find((post) => post.network === "bluesky" && post.handle === handle);
    return author === undefined
      ? Response.json({ error: "InvalidRequest", message: "Unable to resolve handle" }, { status: 400 })
      : Response.json({ did: author.accountId });
  }
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const base32 = (number: number): string => (number < 32 ? "" : base32(number >> 5)) + ALPHABET[number & 31];

/** Returns an account's permanent id: always the same for a handle, regardless of earlier posts and restarts. */
function accountOf({ network, handle }: NewPost): string {
  const hash = createHash("sha256").update(`${network} ${handle.toLowerCase()}`).digest();
  if (network !== "bluesky") return String(9_000_000_000 + hash.readUIntBE(0, 6));
  return `did:plc:${[...hash.subarray(0, 24)].map((byte) => ALPHABET[byte & 31]).join("")}`;
}

function idOf(network: Post["network"], number: number): string {
  // A time-based key has 13 letters; the first encodes time, which does not matter here.
  return network === "bluesky"
    ? `3${base32(number).padStart(12, "a")}`
    : String(1_900_000_000_000_000_000n + BigInt(number));
}

function addressOf({ network, handle }: NewPost, id: string): string {
  switch (network) {
    case "x":
      return `https://x.com/${handle}/status/${id}`;
    case "bluesky":
      return `https://bsky.app/profile/${handle}/post/${id}`;
    case "mastodon":
      return `https://${INSTANCE}/@${handle}/${id}`;
    default:
      throw new Error("There is no such network.");
  }
}

function xAnswer(request: Request, post: Post | undefined): Response {
  if (!request.headers.has("authorization"))
    return Response.json({ title: "Unauthorized", status: 401 }, { status: 401 });
  if (post === undefined) {
    const problem = { title: "Not Found Error", type: "https://api.twitter.com/2/problems/resource-not-found" };
    return Response.json({ errors: [problem] });
  }
  const { text, entities } = shortened(post.text);
  const isLong = text.length > X_SHORT;
  const type = { original: null, repost: "retweeted", reply: "replied_to", quote: "quoted" }[post.kind];
  return Response.json({
    data: {
      id: post.id,
      author_id: post.accountId,
      created_at: new Date(post.createdAt).toISOString(),
      conversation_id: post.kind === "reply" ? "1" : post.id,
      text: isLong ? `${text.slice(0, X_SHORT)}…` : text,
      entities,
      ...(isLong ? { note_tweet: { text, entities } } : {}),
      ...(post.kind === "reply" ? { in_reply_to_user_id: STRANGER } : {}),
      ...(type === null ? {} : { referenced_tweets: [{ type, id: "1" }] }),
    },
    includes: { users: [{ id: post.accountId, username: post.handle, name: post.handle, protected: false }] },
  });
}

/** Returns the text as X stores it: URLs and host names are t.co links, and some characters are entities. */
function shortened(text: string) {
  const urls: { url: string; display_url: string; expanded_url: string }[] = [];
  const stored = Bun.escapeHTML(text).replace(/(?:https?:\/\/)?(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/\S*)?/gi, (address) => {
    const url = `https://t.co/link${urls.length}`;
    const display_url = address.replace(/^https?:\/\//, "");
    urls.push({ url, display_url, expanded_url: `http://${display_url}` });
    return url;
  });
  return { text: stored, entities: { urls } };
}

function twitterApiIoAnswer(request: Request, post: Post | undefined): Response {
  if (!request.headers.has("x-api-key")) return Response.json({ error: "Unauthorized" }, { status: 401 });
  const tweet = post && {
    type: "tweet",
    id: post.id,
    ...shortened(post.text),
    createdAt: new Date(post.createdAt).toUTCString(),
    author: { type: "user", id: post.accountId, userName: post.handle },
    isReply: post.kind === "reply",
    ...(post.kind === "reply" ? { inReplyToId: "1", inReplyToUserId: STRANGER } : {}),
    quoted_tweet: post.kind === "quote" ? { id: "1" } : null,
    retweeted_tweet: post.kind === "repost" ? { id: "1" } : null,
  };
  return Response.json({ tweets: tweet === undefined ? [] : [tweet], status: "success" });
}

function blueskyAnswer(post: Post | undefined): Response {
  const other = { uri: "at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3aaaaaaaaaaaa", cid: "bafyother" };
  const relation = {
    original: {},
    repost: {},
    reply: { reply: { root: other, parent: other } },
    quote: { embed: { $type: "app.bsky.embed.record", record: other } },
  };
  const view = post && {
    uri: `at://${post.accountId}/app.bsky.feed.post/${post.id}`,
    author: { did: post.accountId, handle: post.handle },
    record: {
      $type: "app.bsky.feed.post",
      text: post.text,
      createdAt: new Date(post.createdAt).toISOString(),
      ...relation[post.kind],
    },
    indexedAt: new Date(post.createdAt).toISOString(),
  };
  return Response.json({ posts: view === undefined ? [] : [view] });
}

function mastodonAnswer(post: Post | undefined): Response {
  if (post === undefined) return Response.json({ error: "Record not found" }, { status: 404 });
  return Response.json({
    id: post.id,
    created_at: new Date(post.createdAt).toISOString(),
    visibility: "public",
    content: `<p>${Bun.escapeHTML(post.text).replaceAll("\n", "<br>")}</p>`,
    in_reply_to_id: post.kind === "reply" ? "1" : null,
    in_reply_to_account_id: post.kind === "reply" ? STRANGER : null,
    quote: post.kind === "quote" ? { state: "accepted", quoted_status: { id: "1" } } : null,
    reblog: post.kind === "repost" ? { id: "1" } : null,
    account: { id: post.accountId, username: post.handle, acct: post.handle },
  });
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: "string", default: "4010" } } });
  const posts = new FakeNetworks(Number(values.port));
  const settings = Object.entries(posts.settings).map(([name, value]) => `${name}=${value}`);
  console.log(`The simulated networks are at ${posts.url}. Start Parley with:\n\n${settings.join(" ")} npm start`);
}
