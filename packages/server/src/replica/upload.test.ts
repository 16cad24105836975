import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/config.ts";
import { Spool } from "./spool.ts";
import type { ReplicaStorage } from "./storage.ts";
import { FolderReplica } from "./storage-folder.ts";
import { Uploads } from "./upload.ts";

const WRITER = "0123abcd";
const CHAIN = "000001-aaaabbbb";

/** The spool of a chain, and a replica that takes no whole volume before `take`. */
function start() {
  const spool = new Spool(join(temporaryFolder(), "parley.sqlite"));
  mkdirSync(spool.folderOf(CHAIN));
  const folder = new FolderReplica(temporaryFolder());
  const slow = Promise.withResolvers<void>();
  const storage: ReplicaStorage = {
    place: folder.place,
    list: (prefix) => folder.list(prefix),
    read: (name) => folder.read(name),
    remove: (name) => folder.remove(name),
    write: async (name, content) => {
      if (!name.includes(".")) await slow.promise;
      await folder.write(name, content);
    },
  };
  const fill = (volume: number, text: string) => {
    writeFileSync(join(spool.folderOf(CHAIN), `0000000${volume}-${WRITER}`), text);
    return { volume, bytes: text.length };
  };
  const names = async () => (await folder.list("")).map(({ name }) => name.slice(name.lastIndexOf("/") + 1));
  return { uploads: new Uploads(CHAIN, { storage, spool, writer: WRITER }, []), fill, names, take: slow.resolve };
}

test("what was just copied does not wait for a volume that is merged", async () => {
  const { uploads, fill, names, take } = start();
  uploads.add([fill(1, "one")], { record: 1, at: 10 });
  expect(await uploads.next()).toBe(true);
  uploads.add([fill(1, "one, more"), fill(2, "two")], { record: 2, at: 20 });
  while (await uploads.next());
  expect(uploads.covered).toMatchObject({ record: 2, at: 20 });
  const merging = uploads.tidy();
  uploads.add([fill(2, "two, more")], { record: 3, at: 30 });
  expect(await uploads.next()).toBe(true);
  expect(uploads.covered).toMatchObject({ record: 3, at: 30 });
  expect(await names()).toEqual([
    `00000001-${WRITER}.00000001`,
    `00000001-${WRITER}.00000002`,
    `00000002-${WRITER}.00000001`,
    `00000002-${WRITER}.00000002`,
  ]);
  expect(uploads.spooled).toBe("one, more".length + "two, more".length);
  take();
  expect(await merging).toBe(true);
  while (await uploads.tidy());
  expect(await names()).toEqual([`00000001-${WRITER}`, `00000002-${WRITER}.00000001`, `00000002-${WRITER}.00000002`]);
  expect([uploads.spooled, uploads.waiting]).toEqual(["two, more".length, 0]);
});

test("a complete volume of which nothing was sent is sent as a whole", async () => {
  const { uploads, fill, names, take } = start();
  take();
  uploads.add([fill(1, "one"), fill(2, "two")], { record: 2, at: 20 });
  while (await uploads.next());
  expect(await names()).toEqual([`00000001-${WRITER}`, `00000002-${WRITER}.00000001`]);
  expect(uploads.covered).toMatchObject({ record: 2, at: 20 });
});
