import { describe, expect, test } from "bun:test";
import type { ChatMessage } from "@parley/protocol/models";
import type { ChannelEvent } from "@parley/sdk";
import fc from "fast-check";
import { chatMessage } from "../../../server/test/support/browser/chat-message.ts";
import { rowsOf } from "../../src/messages/list/rows.ts";
import { changeAtOneEnd } from "../../src/model/list-window.ts";
import { KEPT, KEPT_AT_END, Timeline } from "../../src/model/timeline.ts";

const CHANNEL = 1;

/** A channel as the server has it: the current messages and every event. */
class Channel {
  readonly messages: ChatMessage[] = [];
  readonly events: ChannelEvent[] = [];

  get seq(): number {
    return this.events.length;
  }

  /** Appends an event: a message, or a change of an existing one. */
  happen(kind: "new" | "edit" | "delete" | "react", which: number): void {
    const message = this.messages.at(which % Math.max(1, this.messages.length));
    const seq = this.seq + 1;
    if (kind === "new" || message === undefined || message.is_deleted) {
      const chat_message = textMessage(seq, `said ${seq}`);
      this.messages.push(chat_message);
      this.#tell({ event: "message:new", data: { channel_id: CHANNEL, seq, chat_message } });
    } else if (kind === "edit") {
      const chat_message = this.#put({ ...message, content: `edited ${seq}` });
      this.#tell({
        event: "message:update",
        data: { channel_id: CHANNEL, seq, chat_message: { ...chat_message, reactions: [] } },
      });
    } else if (kind === "delete") {
      this.#put({ ...message, content: "", is_deleted: true, reactions: [] });
      this.#tell({ event: "message:delete", data: { channel_id: CHANNEL, seq, message_id: message.id } });
    } else {
      const added = message.reactions.length === 0;
      const reactions = added ? [{ reaction: "like", count: 1, me: true }] : [];
      this.#put({ ...message, reactions });
      const facts = {
        message_id: message.id,
        username: "me",
        agent_name: null,
        agent_id: null,
        reaction: "like",
        added,
      };
      const told = reactions.map((each) => ({ ...each, me: false }));
      this.#tell({ event: "reaction:update", data: { channel_id: CHANNEL, seq, ...facts, reactions: told } });
    }
  }

  /** Returns a page as it would be read now. */
  page(limit: number, before = Number.POSITIVE_INFINITY) {
    const all = this.messages.filter(({ id }) => id < before);
    return { messages: all.slice(-limit), last_seq: this.seq, has_more: all.length > limit };
  }

  #put(message: ChatMessage): ChatMessage {
    this.messages[this.messages.findIndex(({ id }) => id === message.id)] = message;
    return message;
  }

  #tell(event: ChannelEvent): void {
    this.events.push(event);
  }
}

const textMessage = (seq: number, content: string): ChatMessage =>
  chatMessage({
    id: seq * 10,
    channel_id: CHANNEL,
    seq,
    content,
    username: seq % 3 === 0 ? "me" : "ana",
    created_at: new Date(Date.UTC(2026, 0, 1) + seq * 60_000).toISOString(),
  });

const happening = fc.record({
  kind: fc.constantFrom("new", "new", "edit", "delete", "react"),
  which: fc.nat(1_000),
} as const);
/**
 * What can happen in between: an event, a request for a page, a page that arrives (late, and perhaps after newer ones).
 */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("happen" as const), happening }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("tell" as const), count: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("ask newest" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("ask older" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("arrive" as const), which: fc.nat(5) }) },
);

describe("a timeline", () => {
  test("shows each message once, in order, without gaps and in its newest state, in any order of events (property)", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), fc.array(step, { maxLength: 80 }), (before, steps) => {
        const channel = new Channel();
        for (const { kind, which } of before) channel.happen(kind, which);
        const timeline = new Timeline();
        timeline.self = "me";
        timeline.begin(channel.seq);
        let told = channel.seq;
        const tell = (count: number) => {
          for (const event of channel.events.slice(told, told + count)) timeline.apply(event);
          told = Math.min(channel.seq, told + count);
        };
        timeline.replace(channel.page(5), { hasOlder: channel.page(5).has_more, hasNewer: false });
        const underWay: (() => void)[] = [];
        for (const each of steps) {
          if (each.do === "happen") channel.happen(each.happening.kind, each.happening.which);
          else if (each.do === "tell") tell(each.count);
          else if (each.do === "ask newest") {
            const page = channel.page(5);
            underWay.push(() => timeline.replace(page, { hasOlder: page.has_more, hasNewer: false }));
          } else if (each.do === "ask older") {
            const oldest = timeline.messages[0]?.id;
            const page = channel.page(5, oldest);
            // As pages.ts does: a page requested before a new beginning is ignored.
            underWay.push(() => timeline.messages[0]?.id === oldest && timeline.prepend(page, page.has_more));
          } else underWay.splice(each.which % Math.max(1, underWay.length), 1)[0]?.();
        }
        for (const arrive of underWay) arrive();
        tell(channel.seq);
        const shown = timeline.messages;
        expect(shown).toEqual(channel.messages.slice(channel.messages.length - shown.length));
        expect(timeline.hasOlder).toBe(shown.length < channel.messages.length);
      }),
      { numRuns: 500 },
    );
  });

  test("refuses a page older than the events it remembers, and trims its oldest messages when many arrive", () => {
    const channel = new Channel();
    for (let n = 0; n < 10; n++) channel.happen("new", 0);
    const old = channel.page(5);
    const timeline = new Timeline();
    timeline.begin(10);
    for (let n = 0; n < 5_000; n++) channel.happen("new", 0);
    timeline.replace({ ...old, last_seq: 10 }, { hasOlder: true, hasNewer: false });
    for (const event of channel.events.slice(10)) {
      timeline.apply(event);
      timeline.trim();
    }
    expect(timeline.messages.length).toBeLessThanOrEqual(KEPT_AT_END * 1.5);
    expect(timeline.messages.at(-1)?.seq).toBe(5_010);
    expect(timeline.replace(old, { hasOlder: true, hasNewer: false })).toBe(false);
    expect(timeline.messages.at(-1)?.seq).toBe(5_010);
  });

  test("drops the newest messages while the user reads far up, and holds back new ones", () => {
    const channel = new Channel();
    for (let n = 0; n < 2_000; n++) channel.happen("new", 0);
    const timeline = new Timeline();
    timeline.begin(channel.seq);
    timeline.replace(channel.page(50), { hasOlder: true, hasNewer: false });
    while (!timeline.hasNewer) timeline.prepend(channel.page(50, timeline.messages[0]?.id), true);
    expect(timeline.messages.length).toBe(KEPT);
    const newest = timeline.messages.at(-1)?.id;
    channel.happen("new", 0);
    for (const event of channel.events.slice(-1)) expect(timeline.apply(event)).toBe(false);
    expect(timeline.messages.at(-1)?.id).toBe(newest);
  });
});

test("the rendered list changes at one end at a time and soon shows everything (property)", () => {
  const stretch = fc
    .tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 30 }))
    .map(([from, length]) => Array.from({ length }, (_, i) => ({ seq: from + i })));
  const ends = (list: readonly { seq: number }[]) => [list[0]?.seq, list.at(-1)?.seq] as const;
  fc.assert(
    fc.property(stretch, stretch, (before, next) => {
      const [first, last] = ends(before);
      const [nextFirst, nextLast] = ends(next);
      const isApart = !next.some(({ seq }) => before.some((each) => each.seq === seq));
      // Trimming both ends at once, which pages and new messages never do.
      fc.pre(!((nextFirst ?? 0) > (first ?? 0) && (nextLast ?? 0) < (last ?? 0)));
      let shown: readonly { seq: number }[] = before;
      for (let drawing = 0; drawing < 2; drawing += 1) {
        const after = changeAtOneEnd(shown, next);
        const isAtOne = ends(after)[0] === ends(shown)[0] || ends(after)[1] === ends(shown)[1];
        expect(isApart || isAtOne).toBe(true);
        shown = after;
      }
      expect(shown).toEqual(next);
    }),
  );
});

test("rows have days, a mark for new messages and grouped senders, and unchanged rows keep their identity", () => {
  const messages = [1, 2, 4, 1_500, 1_501].map((seq) => textMessage(seq, `m${seq}`));
  const given = { messages, sending: [], growing: [], hasOlder: false, newAfterSeq: 3, self: "me" };
  const rows = rowsOf(given);
  const facts = rows.map((row) =>
    row.kind === "message"
      ? [row.message.seq, row.startsDay, row.startsNew, row.isContinued].map(Number).join(" ")
      : row.kind,
  );
  expect(facts).toEqual(["start", "1 1 0 0", "2 0 0 1", "4 0 1 0", "1500 1 0 0", "1501 0 0 0"]);
  const again = rowsOf({ ...given, hasOlder: true }, new Map(rows.map((row) => [row.key, row])));
  expect(again.every((row) => rows.includes(row))).toBe(true);
  const sending = [
    {
      key: "k",
      content: "x",
      replyToId: null,
      threadRootId: null,
      expiresIn: null,
      linkPreviews: true,
      alsoInChannel: false,
      sticker: null,
      files: [],
      at: 0,
      error: null,
    },
  ];
  expect(rowsOf({ ...given, sending }).at(-1)?.key).toBe("sk");
  const came = [...messages, { ...textMessage(1_600, "x"), client_msg_id: "k" }];
  expect(rowsOf({ ...given, messages: came, sending }).filter(({ kind }) => kind === "sending")).toEqual([]);
});
