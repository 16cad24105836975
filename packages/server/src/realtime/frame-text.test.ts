import { expect, test } from "bun:test";
import { EVENTS } from "@parley/protocol/events";
import fc from "fast-check";
import { frameOf, frameParts } from "./frame-text.ts";

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
