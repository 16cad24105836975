import { expect, test } from "bun:test";
import { SERVER_DATABASES } from "../support/databases.ts";
import { killActAtEach, placeOn } from "../support/faults/kill-at-each.ts";
import { upload } from "../support/files/sent-file.ts";
import { forward, textsIn } from "../support/forwards.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { freePort } from "../support/servers/child-server.ts";
import { type Client, signUp } from "../support/servers/test-server.ts";

const WRITES = /"file_usage"|insert into "file_blobs"|(insert into|update) "files"|insert into "?(messages|forwards)\b/;
const BYTES = "ten bytes.";

/** Protocol §13.15: a forward with files is stored once, and its copies count exactly, whatever the node did as it died. */
for (const database of SERVER_DATABASES) {
  test(`kills on ${database} before any statement of a forward with a file leave one message and exact counts`, async () => {
    await using place = await placeOn(database);
    let ben: Client | undefined;
    let [source, to] = [0, 0];
    const kills = await killActAtEach(place, freePort(), {
      statements: WRITES,
      async prepare(url, round) {
        const ann = await signUp(url, `ann-${round}`);
        ben ??= await signUp(url, "ben");
        to = (await newChannel(ben)).id;
        const { file } = (await upload(ann, BYTES)).body;
        source = await sayId(ann, "general", `round ${round}`, { file_ids: [file.file_id] });
      },
      async act(_, round) {
        if (ben === undefined) throw new Error("There is nobody.");
        const answer = await forward(ben, source, { channel_id: to, client_msg_id: `round-${round}` });
        expect([200, 201]).toContain(answer.status);
      },
      async check(_, round) {
        if (ben === undefined) throw new Error("There is nobody.");
        expect(await textsIn(ben, to)).toEqual([`Forwarded message:\n> round ${round}`]);
        const ofBen = "user_id = (select id from users where username = 'ben')";
        const copies = await place.query(`select message_id from files where ${ofBen} and channel_id = ${to}`);
        expect(copies).toHaveLength(1);
        const [sums] = await place.query(
          `select (select count(*) from files) as files, (select sum(refs) from file_blobs) as refs,
             (select sum(size_bytes) from files where ${ofBen}) as bytes,
             (select bytes from file_usage where owner = (select 'u' || id from users where username = 'ben')) as usage,
             (select count(*) from forwards) as forwards`,
        );
        const { files, refs, bytes, usage, forwards } = Object.fromEntries(
          Object.entries(sums ?? {}).map(([name, value]) => [name, Number(value)]),
        );
        expect([refs, usage, forwards]).toEqual([files, bytes, round]);
      },
    });
    // It counts the bytes, refers to them, makes the copy, stores the message, gives it the file, and says where it came from.
    expect(kills).toBeGreaterThanOrEqual(6);
  }, 400_000);
}
