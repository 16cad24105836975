import { expect, test } from "bun:test";
import { ParleyError } from "./errors.ts";

const banned = ParleyError.fromBody({
  success: false,
  code: "banned",
  error: "You are banned.",
  retryable: false,
  details: { until: null },
});

test("is() compares the code", () => {
  expect([banned.is("banned"), banned.is("muted")]).toEqual([true, false]);
  expect(new ParleyError("timeout", "No response.").is("timeout")).toBe(true);
});

test("is() narrows the type of the details to that of the code", () => {
  const error: ParleyError = banned;
  // @ts-expect-error: The details of an unknown code are unknown.
  error.details?.until;
  if (error.is("banned")) {
    const until: string | null = error.details.until;
    expect(until).toBeNull();
    // @ts-expect-error: `banned` has no such field.
    expect(error.details.muted_until).toBeUndefined();
  } else throw new Error("It is `banned`.");
  // The other branch keeps the general type.
  if (!error.is("muted")) expect(error.code).toBe("banned");
});

test("codes with several forms of details, and codes without their own, have types, too", () => {
  const error = new ParleyError("invalid_request", "Wrong.", { details: [{ path: "limit", message: "is too small" }] });
  expect(error.is("invalid_request") && error.details?.map(({ path }) => path)).toEqual(["limit"]);
  const general: ParleyError = error;
  if (general.is("wallet_address_required")) {
    const { details } = general;
    if (details.reason === "no_token_account") details.token_address satisfies string | null;
    else details.challenge satisfies string;
    // @ts-expect-error: Not every form has it.
    details.challenge;
  }
  // @ts-expect-error: There is no such code.
  expect(general.is("no_such_code")).toBe(false);
  // A newer server's code can be compared as text.
  expect((general.code as string) === "no_such_code").toBe(false);
});
