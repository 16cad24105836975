import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceEmoji } from "../../src/imports/source.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { exported } from "../support/exports/round-trip.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { png } from "../support/pngs.ts";
import { say } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const picture = { id: "F", name: "f.png", mimeType: null, size: null, alt: null, path: "f.png", url: null };

test.each(["mattermost", "slack"])("an export for %s has nothing of an import that is not open", async (format) => {
  await using server = await startTestServer({ rateLimits: "off" });
  const ada = await server.newUser();
  await say(ada, 1, "seen");
  const stage = memoryStage({
    users: [
      sourceUser("unseen-ines", { avatar: picture }),
      sourceUser("unseen-bot", { kind: "bot", name: "unseen-bot" }),
    ],
    channels: [sourceChannel("C1", { name: "unseen-harbour", memberIds: ["unseen-ines"] })],
    messages: [
      sourceMessage("m1", { senderId: "unseen-ines", text: "unseen words" }),
      sourceMessage("m2", { senderId: "unseen-bot", text: "unseen report" }),
    ],
  });
  const pictures = {
    async *emoji(): AsyncGenerator<{ item: SourceEmoji }> {
      yield { item: { name: "unseen_parrot", picture } };
    },
    file: async () => new Blob([Buffer.from(png(40, 30))]).stream(),
  };
  await writeImport(server.ctx, stage, { format: "slack", fingerprint: "f", pictures });
  const { path, line } = await exported(server, format);
  const list = format === "slack" ? ["users.json", "channels.json"] : ["import.jsonl"];
  expect(list.map((name) => readFileSync(join(path, name), "utf8").match(/unseen[\w-]*/g))).toEqual(
    list.map(() => null),
  );
  expect(JSON.stringify(line)).not.toContain("unseen");
  expect([line.counts.agents.taken, line.counts.messages.taken]).toEqual([0, 1]);
});
