import { expect, test } from "bun:test";
import { PlaceSet } from "./place-set.ts";

test("has the places that were added, and no others", () => {
  const places = new PlaceSet(100);
  const added = [1, 7, 8, 63, 64, 100];
  for (const place of added) places.add(place);
  expect(Array.from({ length: 100 }, (_, at) => at + 1).filter((place) => places.has(place))).toEqual(added);
});
