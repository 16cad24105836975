import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/support/config.ts";
import { createLog } from "../../logging/log.ts";
import { FolderStorage } from "./folder-storage.ts";
import { sweepIncoming } from "./sweep-incoming.ts";

test("what nobody has written to for an hour leaves the folder for uploads", async () => {
  const storage = new FolderStorage(temporaryFolder(), createLog({ level: "silent", readable: false }));
  for (const name of ["old", "new"]) {
    writeFileSync(join(storage.incoming, name), "half an upload");
    mkdirSync(join(storage.incoming, `${name} folder`));
    writeFileSync(join(storage.incoming, `${name} folder`, "original"), "half an upload");
  }
  const now = 1_700_000_000;
  for (const name of readdirSync(storage.incoming)) {
    utimesSync(join(storage.incoming, name), now, name.startsWith("old") ? now - 7_200 : now);
  }
  expect(await sweepIncoming(storage, (now - 3_600) * 1_000)).toBe(2);
  expect(readdirSync(storage.incoming).sort()).toEqual(["new", "new folder"]);
});
