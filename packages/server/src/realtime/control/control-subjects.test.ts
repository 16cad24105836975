import { describe, expect, test } from "bun:test";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { onControl, onControlLost, recordControl } from "./control.ts";
import { ControlPoll } from "./control-poll.ts";
import { type ControlKind, type ControlSubjects, readSubject, subjectText } from "./control-subjects.ts";

/** Nodes of older releases read and write these texts: a change of one needs two releases. */
const TEXTS: { [K in ControlKind]: [subject: ControlSubjects[K], text: string][] } = {
  session_ended: [[7, "7"]],
  user_sessions_ended: [
    [{ userId: 7, except: null }, "7"],
    [{ userId: 7, except: 81 }, "7:81"],
  ],
  user_suspended: [[7, "7"]],
  import_opened: [[3, "3"]],
  user_changed: [[7, "7"]],
  blocks_changed: [[7, "7"]],
  name_retired: [["ann:x", "ann:x"]],
  key_revoked: [["pk1a2b", "pk1a2b"]],
  agent_changed: [[3, "3"]],
  agent_stay: [[{ channelId: 5, agentId: 3 }, "5:3"]],
  guard_cleared: [[{ channelId: 5, at: 1_700_000_000_123 }, "5:1700000000123"]],
  channel_changed: [[5, "5"]],
  site_changed: [[4, "4"]],
  emoji_changed: [["party_parrot", "party_parrot"]],
  channel_deleted: [[5, "5"]],
  channel_closed: [
    [{ channelId: 5, memberIds: [7, 8, 12] }, "5:7,8,12"],
    [{ channelId: 5, memberIds: [] }, "5:"],
  ],
  history_rewritten: [
    [{ channelId: 5, seq: 40 }, "5:40"],
    [{ channelId: 5, seq: Number.MAX_SAFE_INTEGER }, "5:9007199254740991"],
  ],
  events_in_doubt: [[5, "5"]],
  stream_opened: [[{ channelId: 5, streamId: 9 }, "5:9"]],
  stream_over: [[{ channelId: 5, streamId: 9 }, "5:9"]],
  membership_changed: [
    [{ channelId: 5, member: "u7" }, "5:u7"],
    [{ channelId: 5, member: "a3" }, "5:a3"],
  ],
  access_ended: [
    [{ channelId: 5, member: "u7" }, "5:u7"],
    [{ channelId: 5, member: "a3", reason: "kicked" }, "5:a3:kicked"],
  ],
};

const KINDS = Object.keys(TEXTS) as ControlKind[];

test.each(KINDS)("the text of %s is the same in all releases", <K extends ControlKind>(kind: K) => {
  for (const [subject, text] of TEXTS[kind]) {
    expect(subjectText(kind, subject)).toBe(text);
    expect(readSubject(kind, text)).toEqual(subject);
  }
});

test("further parts, which a newer release may write, are ignored, and what is no subject is not read", () => {
  expect(readSubject("stream_over", "5:9:late")).toEqual({ channelId: 5, streamId: 9 });
  expect(readSubject("access_ended", "5:u7:moved:6")).toEqual({ channelId: 5, member: "u7", reason: "moved" });
  const unreadable = [
    readSubject("user_changed", "seven"),
    readSubject("user_sessions_ended", ":8"),
    readSubject("agent_stay", "5"),
    readSubject("membership_changed", "5:w7"),
    readSubject("access_ended", "u7"),
    readSubject("channel_closed", ""),
  ];
  expect(unreadable.filter((subject) => subject !== null)).toEqual([]);
});

describe("the control log", () => {
  eachDatabase((_, open) => {
    test("is read on after a text that only another release can read", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const heard: unknown[] = [];
      onControl(ctx, "access_ended", (subject) => heard.push(subject));
      let losses = 0;
      onControlLost(ctx, () => {
        losses += 1;
      });
      const poll = await ControlPoll.start(ctx);
      for (const subject of ["the moon", "5:w7:kicked"]) {
        const row = { kind: "access_ended", subject, created_at: ctx.clock.now() };
        await ctx.db.insertInto("control_log").values(row).execute();
      }
      await recordControl(ctx.db, ctx.clock, "access_ended", { channelId: 5, member: "u7", reason: "left" });
      await poll.run();
      expect(heard).toEqual([{ channelId: 5, member: "u7", reason: "left" }]);
      // Each may have taken a right away that is remembered here.
      expect(losses).toBe(2);
    });
  });
});
