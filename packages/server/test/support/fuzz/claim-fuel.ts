import { FakeNetworks } from "../../../../../examples/key-claim/fake-networks.ts";
import { setPaused } from "../../../src/agents/agent-control.ts";
import { replaceKeys } from "../../../src/agents/keys/key-lifecycle.ts";
import type { Config } from "../../../src/config/config.ts";
import { transact } from "../../../src/db/transact.ts";
import { CLAIM } from "../browser/claim-walk.ts";
import { configOf } from "../local-posts.ts";
import { Client, type TestServer } from "../servers/test-server.ts";
import type { Pools } from "./arbitrary.ts";

const ACCOUNTS = ["one", "two", "three", "four"];

/**
 * The inputs that a fuzzer needs to pass the first checks of key claims: codes, posts that contain them, and an agent
 * that survives.
 */
export class ClaimFuel implements Disposable {
  readonly #posts = new FakeNetworks();
  #agentId = 0;
  #keyId = "";
  #codes: string[] = [];
  #urls: string[] = [];

  get config(): Partial<Config> {
    return configOf(this.#posts);
  }

  /** Creates the agent that the fuzzer calls as. */
  async setAgent(server: TestServer, name: string): Promise<void> {
    this.#agentId = (await server.agent(name)).agentId;
  }

  /**
   * Creates new codes and posts and a new key for the agent, because the last key may have been rotated, revoked or
   * paused.
   */
  async renew({ ctx, guest, url }: TestServer): Promise<Client> {
    this.#codes = [];
    this.#urls = [];
    for (const [n, handle] of ACCOUNTS.entries()) {
      const { body } = await guest.get(`${CLAIM}/verification-code`);
      this.#codes.push(body.verification_code);
      const text = this.#codes.join(" ");
      const bluesky = { network: "bluesky", handle: `${handle}.example.com`, text } as const;
      this.#urls.push(this.#posts.write(n % 2 === 0 ? bluesky : { network: "x", handle, text }));
    }
    const key = await transact(ctx, async (ctx) => {
      await setPaused(ctx, this.#agentId, false, { byStaff: true, by: "staff" });
      return replaceKeys(ctx, this.#agentId, ctx.clock.now());
    });
    this.#keyId = key.key_id;
    return new Client(url, { authorization: `Bearer ${key.api_key}` });
  }

  get pools(): Pools {
    return {
      tweet_url: [...this.#urls, this.#urls.at(-1), "https://x.com/a/status/1", "https://evil.example/a/status/1"],
      verification_code: [...this.#codes, ...this.#codes, "0000-0000"],
      key_id: [this.#keyId, `ply_${this.#keyId}`, "000000000000"],
      agent_id: [this.#agentId, this.#agentId, 99_999],
      grace_seconds: [60, 86_400],
    };
  }

  [Symbol.dispose](): void {
    this.#posts[Symbol.dispose]();
  }
}
