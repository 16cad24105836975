import { expect, test } from "bun:test";
import { openImport } from "../../src/imports/open/open.ts";
import type { SourceFile } from "../../src/imports/source.ts";
import { undoImport } from "../../src/imports/undo/undo.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { png } from "../support/pngs.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const AT = Date.UTC(2017, 2, 4);

const file = (id: string, over: Partial<SourceFile> = {}): SourceFile => ({
  id,
  name: `${id}.txt`,
  mimeType: "text/plain",
  size: 5,
  alt: null,
  path: id,
  url: "https://files.slack.com/secret?t=xoxe-1",
  ...over,
});

const LONG = "word ".repeat(50_000).trim();
const BYTES: Record<string, Uint8Array<ArrayBuffer>> = {
  note: new TextEncoder().encode("hello"),
  picture: new Uint8Array(png(40, 30)),
  huge: new Uint8Array(2 * 1024 * 1024),
};

eachDatabase(async (_, open) => {
  const config = { rateLimits: "off", fileMaxMib: 1 } as const;
  const server = await forAllTests(startTestServer(config, { database: await open() }));
  const { ctx } = server;
  const opened: string[] = [];
  const openFile = async (path: string) => {
    opened.push(path);
    return new Blob([BYTES[path] ?? new Uint8Array()]).stream();
  };
  const stage = memoryStage({
    users: [sourceUser("U1")],
    channels: [sourceChannel("C1", { memberIds: ["U1"] })],
    messages: [
      sourceMessage("m1", {
        at: AT,
        files: [file("note", { alt: "A note" }), file("picture", { name: "a.png", mimeType: "image/png" })],
      }),
      sourceMessage("m2", {
        at: AT + 1,
        text: "see",
        files: [file("huge"), file("elsewhere", { path: null, size: 2_345 })],
      }),
      sourceMessage("m3", {
        at: AT + 2,
        text: "",
        files: Array.from({ length: 12 }, (_, nth) => file("note", { id: `n${nth}` })),
      }),
      sourceMessage("m4", { at: AT + 3, text: LONG }),
    ],
  });
  const counted = async (table: "files" | "file_blobs" | "file_usage") =>
    ctx.db.selectFrom(table).selectAll().execute();

  test("files are taken by the rules of uploads, and what is not leaves a line; a killed import takes none twice", async () => {
    const options = { format: "slack", fingerprint: "f", openFile } as const;
    const kill = () => {
      throw new Error("killed");
    };
    const stopped = { ...options, openFile: (path: string) => (opened.length === 1 ? kill() : openFile(path)) };
    await expect(writeImport(ctx, stage, stopped)).rejects.toThrow("killed");
    expect(await counted("files")).toHaveLength(1);
    const { importId, counts } = await writeImport(ctx, stage, options);
    expect(counts.files).toMatchObject({ taken: 15, left_out: 2 });
    expect(opened.filter((path) => path === "note")).toHaveLength(13);
    const [note] = await counted("files");
    expect((await server.guest.get(`/api/files/${(note as { id: number }).id}`)).status).toBe(404);

    await openImport(ctx, importId);
    const { channels } = (await server.guest.get("/api/channels")).body;
    const { messages } = (await server.guest.get(`/api/messages?channel_id=${channels[1].id}`)).body;
    const names = messages.map((message: { content: string; files: { name: string }[] }) => [
      message.content.slice(0, 40),
      message.files.length,
    ]);
    expect(names).toEqual([
      ["m1", 2],
      ["see\n\nhuge.txt (5 bytes)\n\nelsewhere.txt (", 0],
      ["", 10],
      ["", 2],
      [LONG.slice(0, 40), 1],
    ]);
    expect(messages[1].content).toBe("see\n\nhuge.txt (5 bytes)\n\nelsewhere.txt (2.3 kB)");
    expect(messages[0].files).toMatchObject([
      { name: "note.txt", mime_type: "text/plain", alt_text: "A note", username: "u1", status: "ready" },
      { name: "a.png", mime_type: "image/png", width: 40, height: 30, created_at: new Date(AT).toISOString() },
    ]);
    expect((await server.guest.get(messages[0].files[0].url)).body).toBe("hello");
    expect(messages[4].files[0].name).toBe("message.md");
    expect((await server.guest.get(messages[4].files[0].url)).body).toBe(LONG);
    expect(JSON.stringify(messages)).not.toContain("xoxe");
    // Against nobody's quota.
    const owners = (await counted("file_usage")) as { owner: string }[];
    expect(owners.map(({ owner }) => owner)).toEqual(["all"]);

    await undoImport(ctx, importId);
    expect(await counted("files")).toEqual([]);
    expect((await counted("file_blobs")).every((blob) => (blob as { refs: number }).refs === 0)).toBe(true);
    expect(await counted("file_usage")).toMatchObject([{ owner: "all", bytes: 0 }]);
  });

  test("an import that was killed beside its first file is undone as a whole, with who would have sent it", async () => {
    let asked = 0;
    const killed = async (path: string) => {
      asked += 1;
      if (asked > 1) throw new Error("killed");
      return openFile(path);
    };
    const options = { format: "slack", fingerprint: "f2", openFile: killed } as const;
    await expect(writeImport(ctx, stage, options)).rejects.toThrow("killed");
    expect(await counted("files")).toHaveLength(1);
    const [unfinished] = await ctx.db.selectFrom("imports").select("id").where("status", "=", "writing").execute();
    await undoImport(ctx, unfinished?.id ?? 0);
    expect(await counted("files")).toEqual([]);
    expect(await ctx.db.selectFrom("users").select("username").execute()).toEqual([]);
    expect(await ctx.db.selectFrom("names").select("name").where("name", "like", "u%").execute()).toEqual([]);
  });
});
