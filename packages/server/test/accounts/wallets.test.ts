import { describe, expect, test } from "bun:test";
import { createOwner } from "../../src/channels/newcomers.ts";
import { evmWallet, solanaWallet, type TestWallet } from "../support/chains/wallets.ts";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

/** Proofs of wallets over HTTP. */

const KINDS = [
  ["evm", evmWallet],
  ["solana", solanaWallet],
] as const;
const clock = stillClock();
const server = await forAllTests(startTestServer({}, { clock }));
const ann = await server.user("ann");

const path = (act: string, name = "ann") => `/api/user/${name}/wallets/${act}`;
const ask = ({ chain, address }: TestWallet, client = ann, name = "ann") =>
  client.post(path("challenge", name), { chain, address });

/** Returns a challenge with the right answer. */
async function answered(wallet: TestWallet, client = ann, name = "ann") {
  const { body } = await ask(wallet, client, name);
  return { challenge_id: body.challenge_id, signature: await wallet.sign(body.message_to_sign) };
}

describe("proving a wallet", () => {
  test.each(KINDS)("works on %s", async (_, make) => {
    const wallet = make();
    const challenge = await ask(wallet);
    expect(challenge.status).toBe(201);
    const host = new URL(server.url).host;
    expect(challenge.body.message_to_sign).toStartWith(`${host} wants you to sign in`);
    const signature = await wallet.sign(challenge.body.message_to_sign);
    const proof = await ann.post(path("proof"), { challenge_id: challenge.body.challenge_id, signature });
    expect(proof.status).toBe(200);
    const field = wallet.chain === "evm" ? "evm_address" : "sol_address";
    expect(proof.body.user).toMatchObject({ [field]: wallet.address, [`${field}_proven`]: true });
    expect((await ann.get("/api/user/ann")).body).toMatchObject({ [`${field}_proven`]: true });
    // Others do not even see that the user has a wallet.
    expect((await server.guest.get("/api/user/ann")).body).toMatchObject({ [field]: null, [`${field}_proven`]: null });
  });

  test("shows the server's public address in the text to sign, not that of the request", async () => {
    await using other = await startTestServer({ publicUrl: "https://chat.example.org" });
    const bob = await other.user("bob");
    const { body } = await ask(evmWallet(), bob, "bob");
    expect(body.message_to_sign).toStartWith("chat.example.org wants you");
    expect(body.message_to_sign).toContain("\nURI: https://chat.example.org\n");
    expect(body.message_to_sign).toContain("the account bob.");
  });

  test("returns the same challenge for a repeated Idempotency-Key", async () => {
    const { chain, address } = evmWallet();
    const send = () =>
      ann.post(path("challenge"), { chain, address }, { headers: { "idempotency-key": "challenge-1" } });
    const [first, again] = [await send(), await send()];
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ challenge_id: first.body.challenge_id, deduplicated: true });
  });
});

describe("proving a wallet is refused", () => {
  test("for everybody except the user themselves", async () => {
    await createOwner(server.ctx, "boss", PASSWORD);
    const boss = await server.user("someone");
    const agent = await server.agent();
    const { chain, address } = evmWallet();
    const proof = { challenge_id: 1, signature: "x" };
    for (const [act, body] of [
      ["challenge", { chain, address }],
      ["proof", proof],
    ] as const) {
      expectError(await server.guest.post(path(act), body), 401, "session_required");
      expectError(await agent.post(path(act), body), 401, "session_required");
      expectError(await boss.post(path(act), body), 403, "forbidden");
      expectError(await ann.post(path(act, "nobody-at-all"), body), 404, "user_not_found");
    }
  });

  test("for an invalid address", async () => {
    expectError(await ann.post(path("challenge"), { chain: "evm", address: "0x12" }), 400, "invalid_evm_address");
    expectError(await ann.post(path("challenge"), { chain: "solana", address: "0" }), 400, "invalid_sol_address");
    expectError(await ann.post(path("challenge"), { chain: "doge", address: "D" }), 400, "invalid_request");
    expectError(await ann.post(path("challenge"), {}), 400, "invalid_request");
  });

  test.each(KINDS)("for a malformed signature, and one by another wallet or over another text: %s", async (_, make) => {
    const [wallet, other] = [make(), make()];
    const { body } = await ask(wallet);
    const { challenge_id, message_to_sign } = body;
    const send = (signature: unknown) => ann.post(path("proof"), { challenge_id, signature });
    const good = await wallet.sign(message_to_sign);
    for (const malformed of ["", "0x", "0x12", `${good}00`, good.slice(0, -4), 7, null, undefined]) {
      expectError(await send(malformed), 400, "invalid_signature");
    }
    expectError(await send(await other.sign(message_to_sign)), 422, "wrong_signature");
    expectError(await send(await wallet.sign(`${message_to_sign} `)), 422, "wrong_signature");
    expectError(await send(await wallet.sign(message_to_sign.replace("ann", "bob"))), 422, "wrong_signature");
    // None of the refusals used up the challenge.
    expect((await send(good)).status).toBe(200);
    expectError(await send(good), 409, "challenge_used");
  });

  test("for a signature that is not a point on the curve", async () => {
    const { challenge_id } = (await ask(evmWallet())).body;
    for (const signature of [`0x${"0".repeat(130)}`, `0x${"f".repeat(130)}`]) {
      expectError(await ann.post(path("proof"), { challenge_id, signature }), 422, "wrong_signature");
    }
    const program = { ...solanaWallet(), address: "11111111111111111111111111111111" };
    const asked = (await ask(program)).body;
    const signature = await solanaWallet().sign(asked.message_to_sign);
    expectError(await ann.post(path("proof"), { challenge_id: asked.challenge_id, signature }), 422, "wrong_signature");
  });

  test("for another user's challenge, which looks like a missing one", async () => {
    const eve = await server.user("eve");
    const proof = await answered(evmWallet());
    expectError(await eve.post(path("proof", "eve"), proof), 404, "challenge_not_found");
    expectError(await ann.post(path("proof"), { ...proof, challenge_id: 999_999 }), 404, "challenge_not_found");
    expectError(await ann.post(path("proof"), { ...proof, challenge_id: "x" }), 400, "invalid_request");
  });

  test("after the time limit, and for an old session without the password, because payouts go to a wallet", async () => {
    const zoe = await server.user("zoe");
    const late = await answered(evmWallet(), zoe, "zoe");
    clock.advance(600_001);
    expectError(await zoe.post(path("proof", "zoe"), late), 410, "challenge_expired");
    const proof = await answered(evmWallet(), zoe, "zoe");
    expectError(await zoe.post(path("proof", "zoe"), proof), 403, "reauth_required");
    const wrong = { ...proof, current_password: "not this one" };
    expectError(await zoe.post(path("proof", "zoe"), wrong), 403, "reauth_required");
    expect((await zoe.post(path("proof", "zoe"), { ...proof, current_password: PASSWORD })).status).toBe(200);
  });

  test("for too many open challenges", async () => {
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
    const max = await strict.user("max");
    const answers = [];
    for (let i = 0; i < 21; i++) answers.push(await ask(evmWallet(), max, "max"));
    expect(answers.slice(0, 20).map(({ status }) => status)).toEqual(Array(20).fill(201));
    expectError(answers[20] ?? answers[0] ?? (await ask(evmWallet())), 429, "rate_limited");
  });
});
