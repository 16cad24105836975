import { expect, test } from "bun:test";
import { join } from "node:path";

const { exports: entries } = await Bun.file(join(import.meta.dir, "..", "package.json")).json();

/** Returns the names that a program sees when it imports the package. */
const exported = async (specifier: string): Promise<string[]> => Object.keys(await import(specifier)).toSorted();

test("the package has four entries", () => {
  expect(Object.keys(entries)).toEqual([".", "./groups", "./payments", "./x402"]);
});

test("the root exports the clients, the errors and six helpers; the rest are types", async () => {
  expect(await exported("@parley/sdk")).toEqual([
    "AgentClient",
    "ParleyClient",
    "ParleyError",
    "ReceiptError",
    "UserClient",
    "WebhookVerificationError",
    "isMessageItem",
    "newIdempotencyKey",
    "reactionsAfter",
    "splitText",
    "verifyReceipt",
    "verifyWebhook",
  ]);
});

test("payments, x402 and groups of calls have entries of their own", async () => {
  expect(await exported("@parley/sdk/payments")).toEqual([
    "OverSpendingCap",
    "PaymentIncomplete",
    "payAndFetch",
    "prove",
  ]);
  expect(await exported("@parley/sdk/x402")).toEqual(["PayThenProve", "onlyProofs"]);
  expect(await exported("@parley/sdk/groups")).toEqual([
    "CustomEmoji",
    "Forwards",
    "Imports",
    "IncomingWebhooks",
    "KeyClaims",
    "Mail",
    "Polls",
    "Previews",
    "Reminders",
    "Saved",
    "VoiceNotes",
    "Webhooks",
  ]);
});

test.each(["client", "errors", "src/client.ts", "http"])("%s is private", async (path) => {
  const specifier = `@parley/sdk/${path}`;
  await expect(import(specifier)).rejects.toThrow("Cannot find");
});
