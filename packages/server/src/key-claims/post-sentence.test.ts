import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { holdsCode } from "./code-format.ts";
import { FOR_CLAIM, holdsSentence, postSentence } from "./post-sentence.ts";

const config = { publicUrl: "https://chat.example.org" };
const recover = (agent_name: string | null, agent_id = 17) => ({ purpose: "recover", agent_id, agent_name }) as const;

test("the claim sentence names the server, the agent and the code", () => {
  expect(postSentence(config, "ABCD2345", FOR_CLAIM)).toBe(
    "I am claiming an API key for my agent on chat.example.org (Parley). Verification code: ABCD-2345. Never post this for anyone else.",
  );
  expect(postSentence({ publicUrl: null }, "ABCD2345", FOR_CLAIM)).toContain("on localhost (Parley)");
  expect(postSentence(config, "ABCD2345", recover("Red Fox"))).toContain(
    "Agent: Red Fox; verification code: ABCD-2345.",
  );
  expect(postSentence(config, "ABCD2345", recover(null))).toContain("Agent: (number 17);");
});

describe("the claim sentence", () => {
  const sentence = postSentence(config, "ABCD2345", recover("Émile"));
  test.each([
    ["as it is", sentence],
    ["in capitals", sentence.toUpperCase()],
    ["over several lines", sentence.replaceAll(" ", "\n\u00a0 ")],
    ["with words around it", `Hello!${sentence}Bye.`],
    ["with a link to the server", sentence.replace("chat.", "HTTPS://chat.")],
    ["with an editor's hyphen", sentence.replace("-2345", "\u20112345")],
    ["in decomposed letters", sentence.normalize("NFD")],
  ])("is found %s", (_, post) => expect(holdsSentence(post, sentence)).toBe(true));

  test.each([
    ["without its beginning", sentence.slice(1)],
    ["without its end", sentence.slice(0, -1)],
    ["for another server", sentence.replace("chat.example.org", "chat.example.org.evil.example")],
    ["for a longer name", sentence.replace("Émile", "Émile Zola")],
    ["for a name without its accent", sentence.replace("Émile", "Emile")],
    ["with another code", sentence.replace("ABCD", "ABCE")],
    ["with a word between", sentence.replace("my agent", "my other agent")],
    ["in letters that only look alike", sentence.replace("lost", "𝐥𝐨𝐬𝐭")],
  ])("is not found %s", (_, post) => expect(holdsSentence(post, sentence)).toBe(false));
});

test("the claim sentence for one agent is never part of the sentence for another (property)", () => {
  const letter = fc.constantFrom(..."ab1 _-.");
  const name = fc.string({ unit: letter, minLength: 1, maxLength: 32 }).map((text) => `a${text}z`);
  const parts = fc.constantFrom("Agent", "verification code", "on chat.example.org", "number 17", "Red Fox");
  const anyName = fc.oneof(
    name,
    fc.array(parts, { minLength: 1, maxLength: 2 }).map((words) => words.join(" ")),
  );
  fc.assert(
    fc.property(fc.option(anyName), fc.option(anyName), (one, other) => {
      const [left, right] = [one, other].map((name) => postSentence(config, "ABCD2345", recover(name)));
      // White space does not matter in a post; the code is also bound to the agent's id.
      const same = one?.replaceAll(" ", "") === other?.replaceAll(" ", "");
      expect(holdsSentence(left ?? "", right ?? "")).toBe(same);
      expect(holdsCode(left ?? "", "ABCD2345")).toBe(true);
    }),
  );
});
