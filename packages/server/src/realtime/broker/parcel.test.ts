import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { frameOf } from "../frame-text.ts";
import type { BrokerMessage } from "./broker.ts";
import { packParcels, parcelStart, unpackParcel } from "./parcel.ts";

const START = parcelStart("a1b2");
const unpackAll = (payloads: readonly string[]) => {
  const parcels = payloads.map((payload) => unpackParcel(payload));
  return { messages: parcels.flatMap((parcel) => parcel?.messages ?? []), absent: parcels.map((p) => p?.absent) };
};

/** Any text as Redis returns it: in UTF-8, where half a surrogate pair has no place. */
const overRedis = (text: string) => Buffer.from(text).toString();

const record = (content: string, seq: number) => ({ id: seq + 7, seq, json: JSON.stringify({ content }) });

describe("parcels", () => {
  test("carry every message completely (property)", () => {
    const text = fc.string({ unit: "binary" });
    const message = fc
      .record(
        {
          event: fc.constantFrom("message:new", "typing", "session_ended"),
          frame: text,
          seq: fc.nat(),
          message: fc.record(
            { id: fc.nat(), seq: fc.nat(), json: text, reacted: fc.boolean() },
            { requiredKeys: ["id", "seq", "json"] },
          ),
        },
        { requiredKeys: ["event", "frame"] },
      )
      .map((made): BrokerMessage => {
        const isInside = made.message !== undefined && made.frame.length % 2 === 0;
        return isInside ? { ...made, frame: frameOf(made.event, `{"chat_message":${made.message?.json}}`) } : made;
      });
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const { messages: unpacked } = unpackAll(packParcels(START, messages).map(overRedis));
        expect(unpacked).toEqual(messages);
      }),
    );
  });

  test("contain a message's record once", () => {
    const message = record("x".repeat(500), 5);
    const frame = frameOf("message:new", `{"channel_id":1,"seq":5,"chat_message":${message.json}}`);
    const [payload = "", ...others] = packParcels(START, [{ event: "message:new", frame, seq: 5, message }]);
    expect(others).toEqual([]);
    expect(payload.length).toBeLessThan(frame.length + 60);
    expect(payload).toStartWith("1 a1b2 1\nmessage:new 5 ");
  });

  test("are split, and leave out what is too large for them and is in the database", () => {
    const messages = Array.from({ length: 100 }, (_, at): BrokerMessage => {
      const message = record("x".repeat(at === 50 ? 70_000 : 30_000), at + 1);
      return { event: "message:new", frame: `f${message.json}}}`, seq: at + 1, message };
    });
    const payloads = packParcels(START, messages);
    expect(payloads.length).toBeWithin(10, 20);
    for (const payload of payloads) expect(payload.length).toBeLessThan(300_000);
    const { messages: unpacked, absent } = unpackAll(payloads);
    expect(unpacked).toEqual(messages.filter(({ seq }) => seq !== 51));
    expect(Math.max(...absent.map(Number))).toBe(51);
  });

  test("of another version say who sent them, and nothing else", () => {
    expect(unpackParcel("2 a1b2 whatever\n\u0000")).toEqual({ node: "a1b2", messages: [], absent: 0, isStrange: true });
  });

  test("are not mistaken for what another application sends (property)", () => {
    const [payload = ""] = packParcels(START, [
      { event: "a", frame: "frame", seq: 3, message: record("text", 3) },
      { event: "b", frame: "{}" },
    ]);
    for (let length = 0; length < payload.length; length++) expect(unpackParcel(payload.slice(0, length))).toBeNull();
    expect(unpackParcel(`${payload}.`)).toBeNull();
    for (const broken of [
      "1 a1b2 1\na - -5\n",
      "1 a1b2 99999999\n",
      "1 a1b2 x\n",
      "1 a1b2 1\na 1 2 3\nxx",
      "1 a1b2 1\na x\n",
    ])
      expect(unpackParcel(broken)).toBeNull();
    const words = fc.oneof(fc.string(), fc.nat().map(String), fc.constantFrom("1", "a1b2", "\n", " ", "-", START));
    const payloads = fc.oneof(
      fc.string(),
      fc.array(words).map((parts) => parts.join(" ")),
      fc.array(words).map((p) => START + p.join("")),
    );
    fc.assert(
      fc.property(payloads, (text) => {
        unpackParcel(text);
      }),
    );
  });
});
