import { expect } from "bun:test";
import type { Answered } from "./servers/test-server.ts";

/** Expects the response to be a refusal with this status and code, in the form of every refusal (protocol §0). */
export function expectError(answer: Answered, status: number, code: string): void {
  const { body } = answer;
  expect({ status: answer.status, code: body.code, success: body.success }).toEqual({ status, code, success: false });
  expect(body.error).toBeString();
  expect(body.retryable).toBeBoolean();
  expect(body.request_id).toBe(answer.headers.get("x-request-id"));
}
