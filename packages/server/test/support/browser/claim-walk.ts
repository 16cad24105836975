import { FakeNetworks, type NewPost } from "../../../../../examples/key-claim/fake-networks.ts";
import type { Config } from "../../../src/config/config.ts";
import { publishControl } from "../../../src/realtime/control/control.ts";
import type { Overrides } from "../../../src/server.ts";
import { configOf } from "../local-posts.ts";
import { type Answered, Client, startTestServer, type TestServer } from "../servers/test-server.ts";

export const CLAIM = "/api/agenthub/agent-api-key";

/** A verification code, the sentence to post, and the cookie and token that show who received the code. */
export interface GivenCode {
  code: string;
  sentence: string;
  cookie: string;
  token: string;
  answer: Answered;
}

export interface Redeeming {
  code: GivenCode;
  url: string;
  /** The username in the body. */
  username?: string;
  headers?: Record<string, string>;
  /** Omits the claim's cookie. */
  withoutCookie?: boolean;
  /** Sends the claim's token in the body. */
  withToken?: boolean;
}

/** A server with fake social networks. */
export class ClaimWorld implements AsyncDisposable {
  readonly server: TestServer;
  readonly posts: FakeNetworks;

  private constructor(server: TestServer, posts: FakeNetworks) {
    this.server = server;
    this.posts = posts;
  }

  static async start(
    config: Partial<Config> = {},
    overrides: Overrides = {},
    start = startTestServer,
  ): Promise<ClaimWorld> {
    const posts = new FakeNetworks();
    const server = await start({ codePoolSize: 50, ...configOf(posts), ...config }, overrides);
    return new ClaimWorld(server, posts);
  }

  code(headers: Record<string, string> = {}): Promise<GivenCode> {
    return this.#fetchCode("", headers);
  }

  /** Fetches a code for recovering an agent, by its id or one of its names. */
  recoveryCode(agent: number | string): Promise<GivenCode> {
    const by = typeof agent === "number" ? "agent_id" : "agent_name";
    return this.#fetchCode(`?purpose=recover&${by}=${encodeURIComponent(agent)}`);
  }

  async #fetchCode(query: string, headers: Record<string, string> = {}): Promise<GivenCode> {
    const answer = await this.server.guest.get(`${CLAIM}/verification-code${query}`, { headers });
    if (answer.status !== 200) throw new Error(`code: ${answer.status} ${JSON.stringify(answer.body)}`);
    const { verification_code: code, post_template: sentence, claim_token: token } = answer.body;
    return { code, sentence, token, cookie: claimCookieOf(answer), answer };
  }

  /** Writes a post with the sentence of the code. */
  post(code: GivenCode, handle: string, more: Partial<NewPost> = {}): string {
    return this.posts.write({ network: "bluesky", handle, text: code.sentence, ...more });
  }

  /** Recovers an agent by its account, from code to key. */
  async recoverAs(handle: string, agent: number | string): Promise<Answered> {
    const code = await this.recoveryCode(agent);
    return this.recover({ code, url: this.post(code, handle) });
  }

  redeem(redeeming: Redeeming, client: Client = this.server.guest): Promise<Answered> {
    return this.#show("verify-tweet", redeeming, client);
  }

  recover(redeeming: Redeeming): Promise<Answered> {
    return this.#show("recover", redeeming, this.server.guest);
  }

  #show(path: string, redeeming: Redeeming, client: Client): Promise<Answered> {
    const { code, url, username, headers, withoutCookie, withToken } = redeeming;
    const cookies = [client.credential.cookie, withoutCookie === true ? undefined : code.cookie];
    const cookie = cookies.filter((text) => text !== undefined).join("; ");
    return client.post(
      `${CLAIM}/${path}`,
      {
        tweet_url: url,
        verification_code: code.code,
        ...(username === undefined ? {} : { username }),
        ...(withToken === true ? { claim_token: code.token } : {}),
      },
      { headers: { ...(cookie === "" ? {} : { cookie }), ...headers } },
    );
  }

  /** Claims a key: fetches a code, writes the post and submits it. Returns the key and a client that uses it. */
  async claim(handle: string, client?: Client): Promise<ClaimedAgent> {
    const code = await this.code();
    return this.#agentOf(await this.redeem({ code, url: this.post(code, handle) }, client));
  }

  /** Creates an agent that names a user as its owner without their consent. */
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

  /** Creates a user with this site level. */
  async staff(name: string, level: number): Promise<Client> {
    const { ctx } = this.server;
    const client = await this.server.user(name);
    const change = ctx.db.updateTable("users").set({ admin_level: level }).where("username", "=", name);
    const { id } = await change.returning("id").executeTakeFirstOrThrow();
    publishControl(ctx, "user_changed", id);
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

/** Returns the claim cookie that a response sets, as a client sends it back. */
export function claimCookieOf(answer: Answered): string {
  const set = answer.headers.getSetCookie().find((cookie) => cookie.includes("parley_claim="));
  if (set === undefined) throw new Error("The answer sets no claim cookie.");
  return set.split(";", 1)[0] ?? "";
}
