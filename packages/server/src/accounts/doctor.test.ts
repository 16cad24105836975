import { expect, test } from "bun:test";
import { testConfig } from "../../test/support/config.ts";
import { TestProvider } from "../../test/support/oidc-provider.ts";
import { checkSingleSignOn } from "./doctor.ts";

test("the doctor reports an identity provider that answers, is away, or names another issuer", async () => {
  await using provider = await TestProvider.start();
  const check = async (more: object = {}) => {
    const found = await checkSingleSignOn(testConfig(provider.settings(more)));
    return found.map(({ state, text }) => `${state}: ${text}`);
  };
  expect(await checkSingleSignOn(testConfig())).toEqual([]);
  expect(await check()).toEqual([`ok: ${provider.issuer}/ answers with its addresses and keys`]);
  const [away] = await check({ oidcIssuer: "http://127.0.0.1:1/" });
  expect(away).toStartWith("problem: nobody can log in by http://127.0.0.1:1/: ");
  const [other] = await check({ oidcIssuer: `${provider.issuer.replace("127.0.0.1", "localhost")}/` });
  expect(other).toStartWith(`problem: nobody can log in by ${provider.issuer.replace("127.0.0.1", "localhost")}/: `);
});
