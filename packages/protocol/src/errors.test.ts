import { expect, test } from "bun:test";
import { ERRORS, type ErrorCode, isRetryable } from "./errors.ts";

const codes = Object.keys(ERRORS) as ErrorCode[];

test("every error has a code in snake case, an HTTP error status and a sentence", () => {
  const malformed = codes.filter((code) => {
    const [status, text] = ERRORS[code];
    return !/^[a-z0-9]+(_[a-z0-9]+)*$/.test(code) || status < 400 || status > 599 || !/^\S.*\.$/.test(text);
  });
  expect(malformed).toEqual([]);
});

test("temporary errors are retryable, except where a person has to act first", () => {
  const temporary = codes.filter((code) => [429, 502, 503].includes(ERRORS[code][0]));
  expect(temporary.length).toBeGreaterThan(3);
  expect(temporary.filter((code) => !isRetryable(code))).toEqual(["loop_guard_tripped"]);
});

test("a payment that is not final yet is retryable, and other client errors are not", () => {
  const client = codes.filter((code) => ERRORS[code][0] < 500 && ERRORS[code][0] !== 429);
  expect(client.filter(isRetryable)).toEqual(["payment_pending"]);
});
