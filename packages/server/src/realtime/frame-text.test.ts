import { expect, test } from "bun:test";
import { EVENTS } from "@parley/protocol/events";
import fc from "fast-check";
import { frameOf, frameParts, packFrames } from "./frame-text.ts";

test("a frame is split into the parts it was made of, whatever its data (property)", () => {
  const words = fc.oneof(fc.string(), fc.constantFrom('","data":', '{"event":"', '"}', "}"));
  const data = fc.oneof(fc.jsonValue(), fc.dictionary(words, words), words);
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(EVENTS)), data, (event, data) => {
      const dataJson = JSON.stringify(data);
      const frame = frameOf(event, dataJson);
      expect(JSON.parse(frame)).toEqual(JSON.parse(`{"event":${JSON.stringify(event)},"data":${dataJson}}`));
      expect(frameParts(frame)).toEqual({ event, dataJson });
    }),
  );
});

test("frames packed together are the same events in the same order, in as few frames as the limit allows (property)", () => {
  const frames = fc.array(fc.jsonValue().map((data) => frameOf("message:new", JSON.stringify(data))));
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 300 }), (frames, max) => {
      const packed = packFrames(frames, max);
      const events = packed.map((frame) => [JSON.parse(frame)].flat().map((event) => JSON.stringify(event)));
      expect(events.flat()).toEqual(frames.map((frame) => JSON.stringify(JSON.parse(frame))));
      events.forEach((here, i) => {
        const length = packed[i]?.length ?? 0;
        if (here.length > 1) expect(length).toBeLessThanOrEqual(max);
        const next = events[i + 1]?.[0];
        // An array already has its brackets; a single frame would get them.
        const rest = here.length > 1 ? 1 : 3;
        if (next !== undefined) expect(length + next.length + rest).toBeGreaterThan(max);
      });
    }),
  );
});
