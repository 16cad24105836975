import { expect, test } from "bun:test";
import { RegisterResponse } from "@parley/protocol/accounts";
import { Check } from "typebox/value";
import { KEPT_MS } from "../../src/http/idempotency.ts";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { Client, cookieOf, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

/** `Idempotency-Key` on POST /api/auth/register (protocol §0). */
const clock = stillClock();
const server = await forAllTests(startTestServer({ rateLimits: "off" }, { clock }));

let names = 0;
const body = () => ({ username: `ann${++names}`, password: PASSWORD, email: `ann${names}@example.org` });
const register = (body: object, key: string) =>
  server.guest.post("/api/auth/register", body, { headers: { "idempotency-key": key } });

test("a repeated registration gets the same response, with a session", async () => {
  const ann = body();
  const first = await register(ann, "key-of-ann");
  const again = await register(ann, "key-of-ann");
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.body).toEqual({ ...first.body, deduplicated: true });
  expect([first, again].every((answer) => Check(RegisterResponse, answer.body))).toBe(true);
  const sessions = await new Client(server.url, { cookie: cookieOf(again) }).get("/api/auth/sessions");
  expect(sessions.body.sessions).toHaveLength(2);
});

test("a repeated registration with a different body, password or email is a conflict", async () => {
  const ann = body();
  expect((await register(ann, "key-of-two")).status).toBe(201);
  for (const other of [body(), { ...ann, password: `${PASSWORD}!` }, { ...ann, email: null }])
    expectError(await register(other, "key-of-two"), 409, "idempotency_conflict");
});

test("a repeated registration without the key, or with another, finds the name taken", async () => {
  const ann = body();
  expect((await register(ann, "key-of-one")).status).toBe(201);
  expectError(await register(ann, "key-of-other"), 409, "username_taken");
  expectError(await server.guest.post("/api/auth/register", ann), 409, "username_taken");
  for (const key of ["short", "x".repeat(256)])
    expectError(await register(body(), key), 400, "idempotency_key_invalid");
});

test("many registrations at once create one account", async () => {
  const ann = body();
  const answers = await Promise.all([1, 2, 3, 4].map(() => register(ann, "key-of-many")));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
  const others = await Promise.all([body(), body(), body()].map((other) => register(other, "key-of-three")));
  expect(others.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
});

test("a failed registration can be repeated correctly, and its key is forgotten after a day", async () => {
  const ann = body();
  expectError(await register({ ...ann, password: "short" }, "key-of-next"), 400, "weak_password");
  expect((await register(ann, "key-of-next")).status).toBe(201);
  clock.advance(KEPT_MS + 1);
  expectError(await register(ann, "key-of-next"), 409, "username_taken");
});
