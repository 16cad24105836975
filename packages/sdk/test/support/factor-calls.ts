import { expect, test } from "bun:test";
import { codeAt } from "../../../server/test/support/authenticator-app.ts";
import { PASSWORD } from "../../../server/test/support/servers/test-server.ts";
import { SoftPasskey } from "../../../server/test/support/soft-passkey.ts";
import { ParleyClient } from "../../src/client.ts";
import type { RecordedCalls } from "./recorded-calls.ts";

const STEP_MS = 30_000;

export function factorCalls(calls: RecordedCalls): void {
  test("an authenticator app is set up, and a login asks for its code", async () => {
    const ana = await calls.person("ana");
    const { secret } = await ana.secondFactors.beginApp();
    const confirmedAt = Date.now();
    const { recovery_codes } = await ana.secondFactors.confirmApp(codeAt(secret, confirmedAt));
    expect((await ana.secondFactors.state()).second_factor.recovery_codes_left).toBe(10);

    const again = new ParleyClient({ url: calls.server.url });
    const credentials = { username: "ana", password: PASSWORD };
    await expect(again.accounts.login(credentials)).rejects.toMatchObject({ code: "second_factor_required" });
    const asked: unknown[] = [];
    const secondFactor = (challenge: object) => {
      asked.push(challenge);
      // A code is good once, and those of the steps before and after pass, too.
      return codeAt(secret, confirmedAt + STEP_MS);
    };
    expect((await again.accounts.login(credentials, { secondFactor })).user.username).toBe("ana");
    expect(asked).toMatchObject([{ methods: ["totp", "recovery_code"] }]);

    const refused = await again.accounts.login(credentials).catch((error: unknown) => error);
    const { challenge_id } = (refused as { details: { challenge_id: string } }).details;
    const wrong = again.secondFactors.answer({ challenge_id, code: "x" });
    await expect(wrong).rejects.toMatchObject({ code: "wrong_code", details: { tries_left: 4 } });
    await again.secondFactors.answer({ challenge_id, code: recovery_codes[0] ?? "" });
    expect((await again.secondFactors.renewRecoveryCodes()).recovery_codes).toHaveLength(10);
    await again.secondFactors.removeApp();
    expect((await again.accounts.login(credentials)).user.username).toBe("ana");
  });

  test("a passkey is added, and logs in", async () => {
    const ana = await calls.person("ana");
    const url = calls.server.url.replace("127.0.0.1", "localhost");
    const local = new ParleyClient({ url, cookie: ana.cookie ?? "" });
    const passkey = new SoftPasskey(url);
    const { options } = await local.secondFactors.passkeyOptions();
    const credential = passkey.register(options as { challenge: string; user: { id: string } });
    const { passkey: made } = await local.secondFactors.addPasskey({ name: "laptop", credential });
    await local.secondFactors.renamePasskey(made.passkey_id, "old laptop");
    expect((await local.secondFactors.passkeys()).passkeys).toMatchObject([{ name: "old laptop" }]);

    const again = new ParleyClient({ url });
    const request = (await again.secondFactors.passkeyLoginOptions()).options as { challenge: string };
    const { user } = await again.secondFactors.loginByPasskey({ credential: passkey.sign(request) });
    expect(user.username).toBe("ana");
    await again.secondFactors.removePasskey(made.passkey_id);
    expect((await again.secondFactors.passkeys()).passkeys).toEqual([]);
  });
}
