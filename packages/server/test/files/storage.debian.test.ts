import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { SmallDisk } from "../support/faults/small-disk.ts";
import { fetchFile, sendFile, upload } from "../support/files/sent-file.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { signUp } from "../support/servers/test-server.ts";

describe("a full disk", () => {
  test("refuses uploads below 5 %, and in the middle, and leaves nothing of them", async () => {
    using disk = new SmallDisk(64);
    const env = { PARLEY_FILES: join(disk.path, "files"), PARLEY_LOG_LEVEL: "fatal" };
    await using server = new ChildServer(temporaryFolder(), freePort(), env);
    await server.start();
    const ann = await signUp(server.url, "ann");
    const file = await sendFile(ann, "before");
    const incoming = join(disk.path, "files/incoming");

    disk.fill(2 * 1024 * 1024);
    expect(await upload(ann, "too late")).toMatchObject({ status: 503, body: { code: "storage_full" } });
    disk.free();
    expect((await upload(ann, "again")).status).toBe(201);

    // 6 MiB are more than 5 % of the disk, so the upload begins; a length would refuse it at once.
    disk.fill(6 * 1024 * 1024);
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
    let pieces = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (pieces === 0) controller.enqueue(Buffer.from(head));
        if (++pieces <= 80) controller.enqueue(randomBytes(256 * 1024));
        else controller.close();
      },
    });
    const headers = { ...ann.credential, "content-type": "multipart/form-data; boundary=b" };
    const answer = await fetch(`${server.url}/api/files`, { method: "POST", headers, body });
    expect(answer.status).toBe(503);
    expect(((await answer.json()) as { code: string }).code).toBe("storage_full");
    expect(readdirSync(incoming)).toEqual([]);
    expect(await (await fetchFile(ann, file.url)).text()).toBe("before");
    disk.free();
    expect((await upload(ann, randomBytes(8_000_000))).status).toBe(201);
  });
});
