import { expect, test } from "bun:test";
import { FakeNetworks } from "../../../../examples/key-claim/fake-networks.ts";
import { CLAIM, claimCookieOf } from "../support/browser/claim-walk.ts";
import { temporaryFolder } from "../support/config.ts";
import { killAround } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { type Answered, Client } from "../support/servers/test-server.ts";

/**
 * Kill -9 at any moment of a claim: afterwards either no key exists and the code is still valid, or a key exists that
 * its account can replace with `recover`. Never both, and never neither.
 */
const KILLS = Number(process.env.PARLEY_TEST_CLAIM_KILLS ?? 12);

interface Walk {
  handle: string;
  code: string;
  cookie: string;
  url: string;
}

test(`${KILLS} kills during claims leave a reusable code or a key that can be recovered`, async () => {
  using posts = new FakeNetworks();
  await using server = new ChildServer(temporaryFolder(), freePort(), {
    ...posts.settings,
    PARLEY_CLAIM_STRICT: "true",
  });
  const client = new Client(server.url);
  await server.start();

  const begin = async (handle: string, query = ""): Promise<Walk> => {
    const answer = await client.get(`${CLAIM}/verification-code${query}`);
    const { verification_code: code, post_template: text } = answer.body;
    return { handle, code, cookie: claimCookieOf(answer), url: posts.write({ network: "bluesky", handle, text }) };
  };
  const show = (path: string, { code, cookie, url }: Walk): Promise<Answered> =>
    client.post(`${CLAIM}/${path}`, { tweet_url: url, verification_code: code }, { headers: { cookie } });

  const outcomes = { answered: 0, committed: 0, nothing: 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    const walk = await begin(`person${kill}.example.com`);
    // From before the look-up to after the response.
    const answer = await killAround(server, (kill % 25) * 1.2, () => show("verify-tweet", walk));

    const again = await show("verify-tweet", walk);
    if (answer !== null) {
      expect([answer.status, again.status, again.body.code]).toEqual([201, 409, "verification_code_used"]);
      outcomes.answered++;
    } else if (again.status === 201) outcomes.nothing++;
    else {
      expect([again.status, again.body.code]).toEqual([409, "verification_code_used"]);
      outcomes.committed++;
    }
    // The owner of the account controls the agent: with the key they got, or with another one for the same agent.
    const known = answer?.body ?? (again.status === 201 ? again.body : null);
    if (known !== null) await expectGood(known.api_key);
    // The refusal of a second claim names the agent to an owner who never received the first response.
    const refused = await show("verify-tweet", await begin(walk.handle));
    expect([refused.status, refused.body.code]).toEqual([409, "social_account_already_claimed"]);
    const agentId: number = refused.body.details.agent_id;
    const recovered = await show("recover", await begin(walk.handle, `?purpose=recover&agent_id=${agentId}`));
    expect(recovered.status).toBe(201);
    if (known !== null) expect(recovered.body.agent_id).toBe(known.agent_id);
    await expectGood(recovered.body.api_key);
  }
  const agents = JSON.parse(await server.command("agent", "list", "--json")).agents;
  expect(agents).toHaveLength(KILLS);
  const keys: { revoked_at: string | null }[][] = agents.map(({ keys }: { keys: [] }) => keys);
  expect(keys.filter((list) => list.filter(({ revoked_at }) => revoked_at === null).length !== 1)).toEqual([]);
  console.log(JSON.stringify({ kills: KILLS, ...outcomes }));

  async function expectGood(apiKey: string): Promise<void> {
    const agent = new Client(server.url, { authorization: `Bearer ${apiKey}` });
    expect((await agent.get("/api/agenthub/mentions")).status).toBe(200);
  }
});
