import { expect, test } from "bun:test";
import type { AppContext } from "../../src/context.ts";
import { openImport } from "../../src/imports/open/open.ts";
import {
  type Item,
  type OpenSource,
  type SourceEmoji,
  SourceError,
  type SourceFile,
} from "../../src/imports/source.ts";
import { undoImport } from "../../src/imports/undo/undo.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { eachDatabase } from "../support/databases.ts";
import { addEmoji } from "../support/emoji.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { png } from "../support/pngs.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const SLACK = { format: "slack", fingerprint: "f1" } as const;
const FILES: Record<string, Uint8Array> = {
  "ines.png": png(40, 30),
  "parrot.png": png(40, 30),
  "text.png": Buffer.from("no picture"),
};

const fileAt = (path: string): SourceFile => ({
  id: path,
  name: path,
  mimeType: null,
  size: null,
  alt: null,
  path,
  url: null,
});

const STAGE = memoryStage({
  users: [
    sourceUser("Ines", { avatar: fileAt("ines.png") }),
    sourceUser("Omar", { avatar: fileAt("text.png") }),
    sourceUser("Kim", { avatar: fileAt("damaged.png") }),
    sourceUser("Lea"),
  ],
  channels: [sourceChannel("C1", { name: "harbour", memberIds: ["Ines"] })],
  messages: [
    sourceMessage("m1", {
      senderId: "Ines",
      text: "hello :party_parrot:",
      reactions: [{ reaction: "Party_Parrot", userIds: ["Omar"] }],
    }),
  ],
});

/** Says which emoji and files a source has. */
const picturesOf = (...names: [name: string, path: string][]): Pick<OpenSource, "emoji" | "file"> => ({
  async *emoji(): AsyncGenerator<Item<SourceEmoji>> {
    for (const [name, path] of names) yield { item: { name, picture: fileAt(path) } };
  },
  async file(path) {
    const bytes = FILES[path];
    if (bytes === undefined) throw new SourceError(`${path} is damaged.`);
    return new Blob([Buffer.from(bytes)]).stream();
  },
});

const avatarsOf = async ({ db }: AppContext): Promise<string[]> => {
  const rows = await db
    .selectFrom("avatars")
    .innerJoin("users", "users.id", "avatars.user_id")
    .select("username")
    .orderBy("username")
    .execute();
  return rows.map(({ username }) => username);
};

eachDatabase((_, open) => {
  const PICTURES = picturesOf(
    ["Party_Parrot", "parrot.png"],
    ["heart", "parrot.png"],
    ["x", "parrot.png"],
    ["bad", "text.png"],
  );

  test("people have their pictures, and emoji are seen when the import is open", async () => {
    await using server = await startTestServer({ rateLimits: "off" }, { database: await open() });
    const { ctx } = server;
    const ann = await server.newUser();
    expect((await addEmoji(ann, "taken", png(40, 30))).status).toBe(201);
    const pictures = picturesOf(
      ["Party_Parrot", "parrot.png"],
      ["heart", "parrot.png"],
      ["x", "parrot.png"],
      ["bad", "text.png"],
      ["taken", "parrot.png"],
    );
    const progress: number[] = [];
    const pictureProgress = (count: number) => void progress.push(count);
    const written = await writeImport(ctx, STAGE, { ...SLACK, pictures, pictureProgress });
    expect(progress).toEqual([1, 2, 3]);
    expect(written.leftOut.map(({ kind, reason, examples }) => [kind, reason, ...examples])).toEqual([
      ["emoji", "emoji_exists", "heart", "taken"],
      ["emoji", "invalid_emoji_name", "x"],
      ["emoji", "invalid_emoji_picture", "bad"],
      ["user", "avatar_not_taken", "Omar", "Kim"],
    ]);
    expect(await namesOf(ann)).toEqual(["taken"]);
    expect((await ann.get("/api/emoji/party_parrot/picture")).status).toBe(404);
    await openImport(ctx, written.importId);
    expect(await namesOf(ann)).toEqual(["party_parrot", "taken"]);
    expect((await ann.get("/api/emoji/party_parrot/picture")).status).toBe(200);
    expect(await avatarsOf(ctx)).toEqual(["ines"]);
    expect((await ann.get("/api/user/ines/avatar")).status).toBe(200);
    const { messages } = (await ann.get("/api/messages?channel_slug=harbour")).body;
    expect(messages[0].reactions).toMatchObject([{ reaction: "party_parrot", count: 1 }]);
  });

  test("an interrupted import takes them once, and undo removes them", async () => {
    await using server = await startTestServer({ rateLimits: "off" }, { database: await open() });
    const { ctx } = server;
    const ann = await server.newUser();
    const broken = { ...PICTURES, file: () => Promise.reject(new Error("the process was killed")) };
    await expect(writeImport(ctx, STAGE, { ...SLACK, pictures: broken })).rejects.toThrow("killed");
    const { importId } = await writeImport(ctx, STAGE, { ...SLACK, pictures: PICTURES });
    await openImport(ctx, importId);
    expect(await namesOf(ann)).toEqual(["party_parrot"]);
    await undoImport(ctx, importId);
    expect(await namesOf(ann)).toEqual([]);
    expect(await avatarsOf(ctx)).toEqual([]);
    expect((await addEmoji(ann, "party_parrot", png(40, 30))).status).toBe(201);
  });
});

test("a server without custom emoji takes none", async () => {
  await using server = await startTestServer({ customEmoji: "off" });
  const written = await writeImport(server.ctx, STAGE, { ...SLACK, pictures: picturesOf(["parrot", "parrot.png"]) });
  expect(written.leftOut).toMatchObject([{ kind: "emoji", reason: "emoji_not_allowed", count: 1 }, { kind: "user" }]);
});

async function namesOf(who: {
  get(path: string): Promise<{ body: { emoji: { name: string }[] } }>;
}): Promise<string[]> {
  return (await who.get("/api/emoji")).body.emoji.map(({ name }) => name);
}
