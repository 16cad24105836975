import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CODE_TRIES } from "@parley/protocol/limits";
import { loadConfig } from "../../src/config/load-config.ts";
import { CLAIM, type ClaimedAgent, ClaimWorld, type GivenCode } from "../support/browser/claim-walk.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { Client } from "../support/servers/test-server.ts";

/** Attacks on codes and agents over HTTP (protocol §5). */
const HOST = "chat.example.org";

let people = 0;
const someone = () => `person${++people}.example.com`;

/** Returns an agent with a name, and the account that claimed it. */
async function victim(world: ClaimWorld, name: string): Promise<{ agent: ClaimedAgent; handle: string }> {
  const handle = someone();
  const agent = await world.claim(handle);
  const login = await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: name });
  if (login.status !== 200) throw new Error(JSON.stringify(login.body));
  return { agent, handle };
}

const stillWorks = async (agent: Client) => (await agent.get("/api/agenthub/mentions")).status === 200;

eachDatabase((_, open) => {
  describe("an agent that repeats a stranger's text", () => {
    let world: ClaimWorld;
    beforeAll(async () => {
      world = await ClaimWorld.start({ publicUrl: `http://${HOST}` }, { database: await open() });
    }, 60_000);
    afterAll(() => world[Symbol.asyncDispose](), 60_000);

    /** The victim writes what the stranger dictates; the stranger then tries to recover its key. */
    const echoed = (code: GivenCode, handle: string, text: string) =>
      world.recover({ code, url: world.post(code, handle, { text }) });

    test("is not taken over with a code for a claim, whatever surrounds it", async () => {
      const { agent, handle } = await victim(world, "Parrot");
      const code = await world.code();
      for (const text of [code.code, `I repeat: ${code.code}`, code.sentence])
        expectError(await echoed(code, handle, text), 422, "code_not_for_this");
      expect(await stillWorks(agent)).toBe(true);
    });

    test("is not taken over with a code for recovery without the sentence", async () => {
      const { agent, handle } = await victim(world, "Macaw");
      const code = await world.recoveryCode("Macaw");
      const refused = await echoed(code, handle, `You asked me to say ${code.code}.`);
      expectError(refused, 422, "phrase_not_in_post");
      expect(refused.body.details).toEqual({ post_template: code.sentence });
      const claiming = code.sentence.replace("replacing the lost", "claiming an");
      const elsewhere = code.sentence.replace(HOST, "evil.example");
      const fancy = code.sentence.replace("replacing", "𝐫𝐞𝐩𝐥𝐚𝐜𝐢𝐧𝐠");
      const other = code.sentence.replace("Macaw", "Mасаw"); // Cyrillic
      for (const text of [claiming, elsewhere])
        expectError(await echoed(code, handle, text), 422, "phrase_not_in_post");
      const again = await world.recoveryCode("Macaw");
      for (const text of [fancy, other].map((text) => text.replace(code.code, again.code)))
        expectError(await echoed(again, handle, text), 422, "phrase_not_in_post");
      expect(await stillWorks(agent)).toBe(true);
    });

    test("is not taken over with the whole sentence in a reply or a quote", async () => {
      const { agent, handle } = await victim(world, "Lory");
      const code = await world.recoveryCode("Lory");
      for (const kind of ["reply", "quote"] as const)
        expectError(await world.recover({ code, url: world.post(code, handle, { kind }) }), 422, "post_is_reply");
      expect(await stillWorks(agent)).toBe(true);
    });

    test("is not taken over with a code for another agent, even if one name contains the other", async () => {
      const { agent, handle } = await victim(world, "Kea");
      const longer = await victim(world, "Kea Two");
      const code = await world.recoveryCode("Kea Two");
      expect(code.sentence).toContain("Agent: Kea Two;");
      expectError(await echoed(code, handle, code.sentence), 422, "code_not_for_this");
      const short = await world.recoveryCode("Kea");
      expectError(await echoed(short, longer.handle, short.sentence), 422, "code_not_for_this");
      expect([await stillWorks(agent), await stillWorks(longer.agent)]).toEqual([true, true]);
      // A refusal costs a try but does not use up the code.
      expect((await echoed(code, longer.handle, code.sentence)).body.agent_id).toBe(longer.agent.agentId);
    });

    test("is not taken over by a reader of its owner's post", async () => {
      await using strict = await ClaimWorld.start({ claimStrict: true });
      const { agent, handle } = await victim(strict, "Galah");
      const code = await strict.recoveryCode("Galah");
      const url = strict.post(code, handle);
      const { cookie, token } = await strict.recoveryCode("Galah");
      for (let n = 0; n <= CODE_TRIES; n++)
        expectError(
          await strict.recover({ code: { ...code, cookie, token }, url, withToken: true }),
          403,
          "code_not_yours",
        );
      expect(await stillWorks(agent)).toBe(true);
      expect((await strict.recover({ code, url })).status).toBe(201);
    });
  });

  describe("a code for recovery", () => {
    let world: ClaimWorld;
    beforeAll(async () => {
      world = await ClaimWorld.start(
        { publicUrl: `https://${HOST}:8443`, claimStrict: true },
        { database: await open() },
      );
    }, 60_000);
    afterAll(() => world[Symbol.asyncDispose](), 60_000);
    const ask = (query: string, headers: Record<string, string> = {}) =>
      world.server.guest.get(`${CLAIM}/verification-code?${query}`, { headers });

    test("is issued for an agent by one of its names or, if it has none, by its id", async () => {
      const { agent } = await victim(world, "Red Fox");
      for (const name of ["Red Fox", "red_fox", "RED FOX"]) {
        const { sentence, code } = await world.recoveryCode(name);
        expect(sentence).toBe(
          `I am replacing the lost API key of my agent on ${HOST}:8443 (Parley). Agent: Red Fox; verification code: ${code}. Never post this for anyone else: they would take over the agent.`,
        );
      }
      expect((await world.recoveryCode(agent.agentId)).sentence).toContain("Agent: Red Fox;");
      const unnamed = await world.claim(someone());
      expect((await world.recoveryCode(unnamed.agentId)).sentence).toContain(`Agent: (number ${unnamed.agentId});`);
      expect((await ask(`purpose=recover&agent_name=Red%20Fox&agent_id=${agent.agentId}`)).status).toBe(200);
    });

    test("is issued for nothing else", async () => {
      const { agent } = await victim(world, "Grey Fox");
      await world.server.user("foxy");
      expectError(await ask("purpose=recover"), 400, "agent_name_required");
      const unknown = ["Nobody", "foxy", "PlatformAgent", "%F0%9F%A6%8A", "%25"].map((name) => `agent_name=${name}`);
      for (const by of [...unknown, "agent_id=99999", `agent_name=Grey%20Fox&agent_id=${agent.agentId + 1}`])
        expectError(await ask(`purpose=recover&${by}`), 404, "agent_not_found");
      for (const query of ["purpose=steal", "purpose=recover&agent_id=0", "purpose=recover&agent_id=x"])
        expectError(await ask(query), 400, "invalid_request");
    });

    test("cannot be used to claim a key", async () => {
      const { agent } = await victim(world, "Blue Fox");
      const code = await world.recoveryCode("Blue Fox");
      expectError(await world.redeem({ code, url: world.post(code, someone()) }), 422, "code_not_for_this");
      expect(await stillWorks(agent)).toBe(true);
    });

    test("names the server from the settings, whatever host the request names", async () => {
      const { body } = await ask("", { host: "evil.example", "x-forwarded-host": "evil.example" });
      expect(body.post_template).toContain(`${HOST}:8443 (Parley)`);
    });

    test("is of no use to an account of another network, whatever its name and its id", async () => {
      const handle = "sameperson";
      const claiming = await world.code();
      const claimed = await world.redeem({ code: claiming, url: world.post(claiming, handle, { network: "x" }) });
      expect(claimed.status).toBe(201);
      const { db } = world.server.ctx;
      const moveTo = (provider: "x" | "bluesky") =>
        db.updateTable("social_claims").set({ provider }).where("agent_id", "=", claimed.body.agent_id).execute();
      const recover = async (network: "x" | "mastodon") => {
        const code = await world.recoveryCode(claimed.body.agent_id);
        return world.recover({ code, url: world.post(code, handle, { network }) });
      };
      expectError(await recover("mastodon"), 404, "social_account_not_claimed");
      // As if the account that claimed were one of another network that has the same id.
      await moveTo("bluesky");
      expectError(await recover("x"), 404, "social_account_not_claimed");
      await moveTo("x");
      expect((await recover("x")).status).toBe(201);
    });

    test("notifies the agent's verified owner when it is used", async () => {
      const handle = someone();
      const owner = await world.server.user("vera");
      const agent = await world.claim(handle, owner);
      const recovered = await world.recoverAs(handle, agent.agentId);
      const { notices } = (await owner.get("/api/security-notices")).body;
      expect(notices[0]).toMatchObject({
        kind: "api_key_issued",
        details: { agent_id: agent.agentId, key_id: recovered.body.key_id },
      });
    });

    test("names the agent to an owner who has claimed before and does not know its name", async () => {
      const { agent, handle } = await victim(world, "Lost Fox");
      const code = await world.code();
      const refused = await world.redeem({ code, url: world.post(code, handle) });
      expectError(refused, 409, "social_account_already_claimed");
      expect(refused.body.details).toEqual({ agent_id: agent.agentId, agent_name: "Lost Fox" });
      expect((await world.recoverAs(handle, refused.body.details.agent_id)).status).toBe(201);
    });
  });
});

describe("strict mode for claims", () => {
  let world: ClaimWorld;
  beforeAll(async () => {
    world = await ClaimWorld.start({ claimStrict: true, publicUrl: `https://${HOST}` });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("is the default in production only", () => {
    const production = { PARLEY_PUBLIC_URL: "http://127.0.0.1", PARLEY_PROFILE: "production" };
    const dataDir = world.server.ctx.config.dataDir;
    expect(loadConfig({ ...production, PARLEY_DATA_DIR: dataDir }).claimStrict).toBe(true);
    expect(loadConfig({ ...production, PARLEY_DATA_DIR: dataDir, PARLEY_CLAIM_STRICT: "false" }).claimStrict).toBe(
      false,
    );
    expect(loadConfig({}).claimStrict).toBe(false);
  });

  test("accepts the token instead of the cookie, and never the network address", async () => {
    const code = await world.code();
    const url = world.post(code, someone());
    expectError(await world.redeem({ code, url, withoutCookie: true }), 403, "code_not_yours");
    for (const token of ["", "x", code.token.slice(1), `${code.token}=`, "x".repeat(43), "x".repeat(10_000)])
      expectError(
        await world.redeem({ code: { ...code, token }, url, withoutCookie: true, withToken: true }),
        403,
        "code_not_yours",
      );
    expect((await world.redeem({ code, url, withoutCookie: true, withToken: true })).status).toBe(201);
  });

  test("accepts the token beside the cookie of a code that was fetched later", async () => {
    const [code, later] = [await world.code(), await world.code()];
    const url = world.post(code, someone());
    expect((await world.redeem({ code: { ...code, cookie: later.cookie }, url, withToken: true })).status).toBe(201);
  });

  test.each(["x", "bluesky", "mastodon"] as const)("requires the whole sentence on %s", async (network) => {
    const handle = network === "bluesky" ? someone() : `person${++people}`;
    const code = await world.code();
    const shown = (text: string) => world.redeem({ code, url: world.post(code, handle, { network, text }) });
    const refused = await shown(`My code is ${code.code}`);
    expectError(refused, 422, "phrase_not_in_post");
    expect(refused.body.details).toEqual({ post_template: code.sentence });
    expectError(await shown(code.sentence.replace(HOST, "evil.example")), 422, "phrase_not_in_post");
    expectError(await shown(code.sentence.slice(1)), 422, "phrase_not_in_post");
    const loose = code.sentence.toUpperCase().replaceAll(" ", " \n").replace(HOST.toUpperCase(), `https://${HOST}`);
    expect((await shown(`Hello! ${loose} Bye & <thanks>.`)).status).toBe(201);
  });

  test("fits into a post on X with a long host and the longest agent name", async () => {
    const host = `${"h".repeat(50)}.example.org`;
    await using far = await ClaimWorld.start({ publicUrl: `https://${host}` });
    const { handle } = await victim(far, "N".repeat(32));
    const { sentence } = await far.recoveryCode("N".repeat(32));
    expect(sentence.length).toBeLessThanOrEqual(280);
    expect((await far.recoverAs(handle, "N".repeat(32))).status).toBe(201);
  });
});

describe("a server behind a proxy", () => {
  test("binds no code to the network of a proxy that does not report the client", async () => {
    await using world = await ClaimWorld.start({ trustedProxies: ["127.0.0.1"] });
    const code = await world.code();
    const url = world.post(code, someone(), { text: code.code });
    expectError(await world.redeem({ code, url, withoutCookie: true }), 403, "code_not_yours");
    expect((await world.redeem({ code, url })).status).toBe(201);
  });

  test("accepts the code alone from the same network without strict mode and without a proxy", async () => {
    await using world = await ClaimWorld.start();
    const { body } = await world.server.guest.get(`${CLAIM}/verification-code`);
    const tweet_url = world.posts.write({ network: "x", handle: "seed", text: `x ${body.verification_code} y` });
    const claim = { tweet_url, verification_code: body.verification_code };
    const answer = await new Client(world.server.url).post(`${CLAIM}/verify-tweet`, claim);
    expect(answer).toMatchObject({ status: 201, body: { is_anonymous: true } });
  });
});
