import { describe, expect, test } from "bun:test";
import { ParleyError } from "../../../sdk/src/errors.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";

// A name that the compiler does not follow: the page has the types of browsers, the tests those of Bun.
const src = "../../src";
const { Attachments } = await import(`${src}/model/files/attachments.ts`);
const { progressOf } = await import(`${src}/model/files/attachment.ts`);
const { kindOf, extensionOf, sizeText } = await import(`${src}/model/files/file-kind.ts`);
const { shownSize, columnsOf } = await import(`${src}/model/files/picture-layout.ts`);
const { decodeStart } = await import(`${src}/model/files/text-preview.ts`);
const { pastedFiles } = await import(`${src}/composer/attachments/pasted-files.ts`);

interface Call {
  file: File;
  altText: string;
  signal: AbortSignal;
  onProgress(part: number): void;
  resolve(record: unknown): void;
  reject(error: unknown): void;
}

/** A draft whose uploads the test answers. */
function drafted(maxBytes: number | null = null) {
  const uploads: Call[] = [];
  const removed: number[] = [];
  const upload = (options: Omit<Call, "resolve" | "reject">) =>
    new Promise((resolve, reject) => {
      options.signal.addEventListener("abort", () => reject(options.signal.reason));
      uploads.push({ ...options, resolve, reject });
    });
  const calls = {
    upload,
    record: async () => recordOf(1),
    remove: async (fileId: number) => void removed.push(fileId),
  };
  const attachments = new Attachments({ draft: "test", calls, limits: () => ({ maxBytes }) });
  const states = () => attachments.all.get().map(({ state }: { state: string }) => state);
  return { attachments, uploads, removed, states };
}

const recordOf = (file_id: number, status = "ready") => ({
  file_id,
  name: "a.txt",
  mime_type: "text/plain",
  size_bytes: 3,
  url: `/api/files/${file_id}`,
  status,
});
const fileOf = (name: string, text = "abc") => new File([text], name);
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe("the files of a draft", () => {
  test("two upload at a time, the next follows, and a message takes what is ready", async () => {
    const { attachments, uploads, states } = drafted();
    attachments.add([fileOf("a"), fileOf("b"), fileOf("c")]);
    expect(states()).toEqual(["uploading", "uploading", "waiting"]);
    expect(progressOf(attachments.all.get())).toMatchObject({ holds: "uploading", count: 3, done: 0, percent: 0 });
    uploads[0]?.onProgress(0.5);
    uploads[0]?.resolve(recordOf(1));
    await settled();
    expect(states()).toEqual(["ready", "uploading", "uploading"]);
    for (const [at, each] of uploads.entries()) each.resolve(recordOf(at + 1));
    await settled();
    expect(progressOf(attachments.all.get())).toMatchObject({ holds: null, done: 3, percent: 100 });
    expect(attachments.take().map(({ file_id }: { file_id: number }) => file_id)).toEqual([1, 2, 3]);
    expect(attachments.all.get()).toEqual([]);
  });

  test("a file that is too large or empty is refused before it is uploaded", () => {
    const { attachments, uploads, states } = drafted(2);
    attachments.add([fileOf("large"), fileOf("empty", "")]);
    expect(states()).toEqual(["refused", "refused"]);
    expect(uploads).toEqual([]);
    expect(attachments.all.get()[0].problem).toEqual({ kind: "too_large", maxBytes: 2 });
    expect(progressOf(attachments.all.get()).holds).toBe("problem");
  });

  test("a message has room for ten files", () => {
    const { attachments } = drafted();
    expect(attachments.add(Array.from({ length: 12 }, (_, n) => fileOf(`${n}`)))).toBe(2);
    expect(attachments.all.get().length).toBe(10);
    expect(attachments.add([fileOf("more")])).toBe(1);
  });

  test("removing a file stops its upload, or deletes it", async () => {
    const { attachments, uploads, removed } = drafted();
    attachments.add([fileOf("a"), fileOf("b")]);
    const [a, b] = attachments.all.get();
    attachments.remove(a.key);
    expect(uploads[0]?.signal.aborted).toBe(true);
    uploads[1]?.resolve(recordOf(7));
    await settled();
    attachments.remove(b.key);
    expect(removed).toEqual([7]);
    expect(attachments.all.get()).toEqual([]);
  });

  test("a broken upload can be tried again, a refused one cannot", async () => {
    const { attachments, uploads, states } = drafted();
    attachments.add([fileOf("a"), fileOf("b")]);
    uploads[0]?.reject(new ParleyError("network_error", "cut"));
    uploads[1]?.reject(new ParleyError("type_not_allowed", "no", { status: 415 }));
    await settled();
    expect(states()).toEqual(["failed", "refused"]);
    attachments.retry(attachments.all.get()[0].key);
    uploads[2]?.resolve(recordOf(3));
    await settled();
    expect(states()).toEqual(["ready", "refused"]);
  });

  test("a description is uploaded with the bytes, which replaces the file", async () => {
    const { attachments, uploads, removed, states } = drafted();
    attachments.add([fileOf("a.png")]);
    uploads[0]?.resolve(recordOf(4));
    await settled();
    attachments.describe(attachments.all.get()[0].key, "A cat");
    expect(uploads[1]?.altText).toBe("A cat");
    expect(removed).toEqual([4]);
    uploads[1]?.resolve(recordOf(5));
    await settled();
    expect(states()).toEqual(["ready"]);
  });

  test("a file that is scanned holds the message until it is ready", async () => {
    const { attachments, uploads, states } = drafted();
    attachments.add([fileOf("a")]);
    uploads[0]?.resolve(recordOf(1, "scanning"));
    await settled();
    expect(progressOf(attachments.all.get()).holds).toBe("checking");
    await eventually("it is ready", async () => states()[0] === "ready");
  });
});

test("kinds, extensions and sizes of files", () => {
  expect(["image/png", "video/mp4", "audio/mpeg", "text/plain", "application/octet-stream"].map(kindOf)).toEqual([
    "image",
    "video",
    "audio",
    "text",
    "other",
  ]);
  expect([extensionOf("plan.pdf"), extensionOf(".env"), extensionOf("README")]).toEqual(["PDF", null, null]);
  expect([812, 1024, 1_500, 1024 * 1024 - 1, 26_214_400].map(sizeText)).toEqual([
    "812 B",
    "1 KiB",
    "1.5 KiB",
    "1 MiB",
    "25 MiB",
  ]);
});

test("a picture keeps its shape within the box, and a sliver can still be pressed", () => {
  expect(shownSize({ width: 4_000, height: 2_000 })).toEqual({ width: 420, height: 210 });
  expect(shownSize({ width: 100, height: 80 })).toEqual({ width: 100, height: 80 });
  expect(shownSize({ width: 10, height: 4_000 })).toEqual({ width: 56, height: 320 });
  expect([2, 3, 4, 5].map(columnsOf)).toEqual([2, 3, 2, 3]);
});

test("a text that is cut within a character loses only that character", () => {
  const bytes = new TextEncoder().encode("äö\r\n漢");
  expect(decodeStart(bytes.subarray(0, -1), false)).toBe("äö\n");
  expect(decodeStart(bytes, true)).toBe("äö\n漢");
});

test("a paste of files is files; a spreadsheet's text with its picture is text", () => {
  const picture = fileOf("image.png");
  const paste = (text: string) => pastedFiles({ files: [picture], getData: () => text });
  expect(paste("")).toEqual([picture]);
  expect(paste("image.png")).toEqual([picture]);
  expect(paste("1\t2\n3\t4")).toEqual([]);
});
