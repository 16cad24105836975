import { expect, test } from "bun:test";
import { acceptedForms } from "./answer-form.ts";

test("a request without the header Accept accepts both forms", () => {
  expect(acceptedForms(new Request("http://parley/mcp"))).toEqual({ json: true, events: true });
});
