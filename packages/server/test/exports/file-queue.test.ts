import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recordsOf } from "../support/exports/read-export.ts";
import { exported } from "../support/exports/round-trip.ts";
import { upload } from "../support/files/sent-file.ts";
import { say } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";

test("a file whose description has line separators is exported", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const ada = await server.newUser();
  const { file } = (await upload(ada, "words", "a.txt")).body;
  expect((await ada.put(`/api/files/${file.file_id}`, { alt_text: "one\u2028two\u2029three" })).status).toBe(200);
  await say(ada, 1, "a file", { file_ids: [file.file_id] });
  const { path, line } = await exported(server, "mattermost");
  expect(line.counts.files.taken).toBe(1);
  const [post] = recordsOf(path, "post");
  expect(readFileSync(join(path, "data", post.attachments[0].path), "utf8")).toBe("words");
});
