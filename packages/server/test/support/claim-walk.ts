import { LocalPosts, type NewPost } from "../../../../examples/claim-walk/local-posts.ts";
import type { Config } from "../../src/config.ts";
import { announce } from "../../src/realtime/control.ts";
import type { Overrides } from "../../src/server.ts";
import { configOf } from "./local-posts.ts";
import { type Answered, Client, startTestServer, type TestServer } from "./test-server.ts";

export const CLAIM = "/api/agenthub/agent-api-key";

/** A code, and the cookie that shows whose it is. */
export interface GivenCode {
  code: string;
  cookie: string;
  answer: Answered;
}

export interface Redeeming {
  code: GivenCode;
  url: string;
  /** Of the body. */
  username?: string;
  headers?: Record<string, string>;
  /** Leaves the claim's cookie away. */
  withoutCookie?: boolean;
}

/** A server and the social networks of this machine. */
export class ClaimWorld implements AsyncDisposable {
  readonly server: TestServer;
  readonly posts: LocalPosts;

  private constructor(server: TestServer, posts: LocalPosts) {
    this.server = server;
    this.posts = posts;
  }

  static async start(config: Partial<Config> = {}, overrides: Overrides = {}): Promise<ClaimWorld> {
    const posts = new LocalPosts();
    const server = await startTestServer({ codePoolSize: 50, ...configOf(posts), ...config }, overrides);
    return new ClaimWorld(server, posts);
  }

  async code(): Promise<GivenCode> {
    const answer = await this.server.guest.get(`${CLAIM}/verification-code`);
    return { code: answer.body.verification_code, cookie: claimCookieOf(answer), answer };
  }

  /** A post that holds the code. */
  post(code: GivenCode, handle: string, more: Partial<NewPost> = {}): string {
    return this.posts.write({ network: "bluesky", handle, text: `My code is ${code.code}!`, ...more });
  }

  redeem(redeeming: Redeeming, client: Client = this.server.guest): Promise<Answered> {
    return this.#show("verify-tweet", redeeming, client);
  }

  recover(redeeming: Redeeming): Promise<Answered> {
    return this.#show("recover", redeeming, this.server.guest);
  }

  #show(path: string, { code, url, username, headers, withoutCookie }: Redeeming, client: Client): Promise<Answered> {
    const cookies = [client.credential.cookie, withoutCookie === true ? undefined : code.cookie];
    const cookie = cookies.filter((text) => text !== undefined).join("; ");
    return client.post(
      `${CLAIM}/${path}`,
      { tweet_url: url, verification_code: code.code, ...(username === undefined ? {} : { username }) },
      { headers: { ...(cookie === "" ? {} : { cookie }), ...headers } },
    );
  }

  /** The whole walk, and a client with the key. */
  async claim(handle: string, client?: Client): Promise<ClaimedAgent> {
    const code = await this.code();
    return this.#agentOf(await this.redeem({ code, url: this.post(code, handle) }, client));
  }

  /** An agent that names a user its owner without his doing. */
  async claimLabelled(handle: string, username: string): Promise<ClaimedAgent> {
    const code = await this.code();
    const answer = await this.redeem({ code, url: this.post(code, handle), headers: { "x-username": username } });
    return this.#agentOf(answer);
  }

  #agentOf({ status, body }: Answered): ClaimedAgent {
    if (status !== 201) throw new Error(`claim: ${status} ${JSON.stringify(body)}`);
    return Object.assign(this.withKey(body.api_key), {
      apiKey: body.api_key,
      keyId: body.key_id,
      agentId: body.agent_id,
      username: body.username,
    });
  }

  /** A user with a level on the site. */
  async staff(name: string, level: number): Promise<Client> {
    const { ctx } = this.server;
    const client = await this.server.user(name);
    const change = ctx.db.updateTable("users").set({ admin_level: level }).where("username", "=", name);
    const { id } = await change.returning("id").executeTakeFirstOrThrow();
    announce(ctx, "user_changed", id);
    return client;
  }

  withKey(apiKey: string): Client {
    return new Client(this.server.url, { authorization: `Bearer ${apiKey}` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.posts[Symbol.dispose]();
  }
}

export type ClaimedAgent = Client & { apiKey: string; keyId: string; agentId: number; username: string };

/** The claim's cookie that an answer sets, as a client sends it back. */
export function claimCookieOf(answer: Answered): string {
  const set = answer.headers.getSetCookie().find((cookie) => cookie.includes("parley_claim="));
  if (set === undefined) throw new Error("The answer sets no claim cookie.");
  return set.split(";", 1)[0] ?? "";
}
