import { describe, expect, test } from "bun:test";
import type { ErrorCode } from "@parley/protocol/errors";
import { ParleyError } from "@parley/sdk";
import fc from "fast-check";
import { agentNameOf } from "../../../server/src/accounts/names/agent-names.ts";
import { claimRoutes } from "../../../server/src/key-claims/claims.routes.ts";
import { sdkProgram, shellCommands } from "../../src/agents/key-commands.ts";
import { agentNameFor } from "../../src/claim/agent-name.ts";
import { adviceFor } from "../../src/claim/error-advice.ts";
import { composeUrl, networkList } from "../../src/claim/networks.ts";
import { loadClaimTexts } from "../../src/i18n/claim-texts.ts";

const [en, zh] = await Promise.all([loadClaimTexts("en"), loadClaimTexts("zh")]);

describe("advice on the claim page", () => {
  const codes = claimRoutes
    .filter(({ path }) => /\/(verify-tweet|recover|verification-code)$/.test(path))
    .flatMap(({ errors }) => errors);

  test.each([...new Set<ErrorCode>([...codes, "rate_limited"])])("has a text of its own for %s", (code) => {
    const error = new ParleyError(code, "?");
    expect(adviceFor(error, en).text).not.toContain("?");
    expect(adviceFor(error, zh).text).toMatch(/^[^?]*\p{Script=Han}[^?]*。$/u);
    expect(adviceFor(error, zh).remedy).toBe(adviceFor(error, en).remedy);
  });

  test("shows the server's text for an unknown error and the page's text for a lost response", () => {
    expect(adviceFor(new ParleyError("new_code_of_later", "Not today."), en)).toEqual({
      text: "Not today.",
      remedy: "again",
    });
    const [late, lost] = ["timeout", "network_error"].map((code) => adviceFor(new ParleyError(code, "?"), en));
    expect(late).toEqual(lost as typeof late);
    expect(adviceFor(new Error("broken"), en).text).toContain("broken");
  });

  test.each([
    ["rate_limited", 45, "Too many attempts. Try again in 45 seconds."],
    ["overloaded", 0, "The server is busy. Try again in 1 second."],
    [
      "social_lookup_failed",
      900,
      "The network didn’t return the post. Your code is still valid. Try again in 15 minutes.",
    ],
    ["too_many_tries", 1_700, "This code has been tried too many times. Get a new code and post it."],
  ])("for %s adds a wait of %d s", (code, retryAfter, text) => {
    expect(adviceFor(new ParleyError(code, "?", { retryAfter }), en).text).toBe(text);
  });
});

test("every text of claim.html has a name, by which languages translate it", async () => {
  const html = await Bun.file(new URL("../../src/claim/claim.html", import.meta.url)).text();
  // All other text in it is a name, or for browsers without scripts.
  const [body = ""] = html.replace(/<noscript>.*<\/noscript>/s, "").match(/<body>.*<\/body>/s) ?? [];
  const bare = body.replace(/<(\w+)[^>]*data-text[^>]*>[^<]*<\/\1>/g, "").replace(/<!--.*?-->|<[^>]*>/gs, " ");
  expect(bare.split(/\s+/).filter((word) => word !== "")).toEqual(["Parley", "&nbsp;"]);
});

describe("social networks on the claim page", () => {
  const x = { provider: "x", host: "x.com" } as const;
  const bluesky = { provider: "bluesky", host: "bsky.app" } as const;
  const mastodon = { provider: "mastodon", host: "one.example" } as const;

  test("are listed as people name them", () => {
    expect(networkList([x, bluesky, mastodon], en)).toBe("X, Bluesky or one.example");
    expect(networkList([x, bluesky, mastodon], zh)).toBe("X、Bluesky或one.example");
    expect(networkList([bluesky], en)).toBe("Bluesky");
  });

  test("receive the whole text in their URL, which is otherwise unchanged (property)", () => {
    fc.assert(
      fc.property(fc.constantFrom(x, bluesky, mastodon), fc.string({ unit: "grapheme" }), (network, text) => {
        const url = new URL(composeUrl(network, text));
        expect([...url.searchParams]).toEqual([["text", text]]);
        expect([url.host, url.hash]).toEqual([network.host, ""]);
      }),
    );
  });
});

describe("commands on the claim page", () => {
  test("use a valid agent name without quoting for any handle (property)", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.domain(), fc.emailAddress()), (handle) => {
        const name = agentNameFor(handle);
        expect(agentNameOf(name)).toBe(name);
        expect(name).toMatch(/^[A-Za-z0-9-]+$/);
      }),
    );
  });

  test.each([
    ["ana.example.com", "ana-agent"],
    ["ana@one.example", "ana-agent"],
    ["ana_b", "anab-agent"],
    ["___", "my-agent"],
    ["a".repeat(60), `${"a".repeat(24)}-agent`],
  ])("name the agent of %s as %s", (handle, name) => {
    expect(agentNameFor(handle)).toBe(name);
  });

  test("contain the key once, and the program never contains it, because people commit programs", () => {
    const access = { url: "https://chat.example.org", apiKey: "ply_0_secret", name: "ana-agent", channel: "general" };
    expect(shellCommands(access).split(access.apiKey)).toHaveLength(2);
    expect(sdkProgram(access)).not.toContain("ply_");
    // The server refuses other variables with this prefix.
    const variables = (shellCommands(access) + sdkProgram(access)).match(/PARLEY_\w+/g);
    expect([...new Set(variables)]).toEqual(["PARLEY_KEY"]);
  });
});
