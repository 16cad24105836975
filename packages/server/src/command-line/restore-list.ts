import { counted } from "../base/counted.ts";
import { isoTime } from "../base/iso-time.ts";
import { openReplica } from "../replica/open-replica.ts";
import { contentOf } from "../restoring/restore-from-replica.ts";
import { restorableSpans } from "../restoring/restore-points.ts";
import { type Invocation, print } from "./command.ts";
import { asCommand, configWithReplica } from "./restore-at.ts";

/** Lists the times to which the replica can restore the database. */
export async function restoreList(call: Invocation): Promise<number> {
  const storage = openReplica(configWithReplica(call));
  const spans = await asCommand(async () => restorableSpans(storage, await contentOf(storage)));
  const times = spans.map(({ from, to, ...span }) => ({ from: isoTime(from), to: isoTime(to), ...span }));
  print(
    call,
    { replica: storage.place, times },
    times.length === 0
      ? `The replica at ${storage.place} has no complete snapshot yet.`
      : [
          `The replica at ${storage.place} can restore every moment of:`,
          ...times.map(({ from, to, snapshots }) => `  ${from} to ${to}  (${counted(snapshots, "snapshot")})`),
        ].join("\n"),
  );
  return 0;
}
