import { expect, test } from "bun:test";
import { LANGUAGES } from "../../src/i18n/languages.ts";
import { workerTexts } from "../../src/i18n/worker-texts.ts";
import { titleOf } from "../../src/model/calls/notification-title.ts";
import { senderInText } from "../../src/model/sender.ts";

const nobody = { username: null, agent_name: null };

test("a line of text says that a webhook is one, and leaves other names as they are", () => {
  expect(senderInText({ ...nobody, sender_type: "webhook", webhook_name: "ann" })).toBe("ann (webhook)");
  expect(senderInText({ ...nobody, sender_type: "user", username: "ann" })).toBe("ann");
  expect(senderInText({ ...nobody, sender_type: "system" })).toBe("system");
});

test.each(["mention", "direct", "thread_reply", "reaction", "card", "message", "of a later version"])(
  "the title of a notification says that a webhook wrote it: %s",
  async (kind) => {
    for (const language of Object.keys(LANGUAGES)) {
      const texts = await workerTexts(language);
      for (const channel of ["Ops", "", null]) {
        expect(titleOf({ kind, from: { kind: "webhook", name: "ann" } }, channel, texts)).toContain("ann (webhook)");
        expect(titleOf({ kind, from: { kind: "user", name: "ann" } }, channel, texts)).not.toContain("webhook");
      }
    }
  },
);
