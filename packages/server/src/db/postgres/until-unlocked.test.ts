import { expect, test } from "bun:test";
import { systemClock } from "../../clock.ts";
import { untilUnlocked } from "./until-unlocked.ts";

const refusal = (code: string) => Object.assign(new Error(code), { code });

test.each(["55P03", "40P01"])("a transaction that another session is in the way of runs again (%s)", async (code) => {
  let tries = 0;
  const act = async () => {
    tries += 1;
    if (tries === 1) throw refusal(code);
    return "done";
  };
  expect([await untilUnlocked(act, systemClock), tries]).toEqual(["done", 2]);
});

test("any other refusal ends it at once", async () => {
  const act = () => Promise.reject(refusal("42601"));
  await expect(untilUnlocked(act, systemClock)).rejects.toMatchObject({ code: "42601" });
});
