import { expect, test } from "bun:test";
import { linksIn } from "./link-previews.ts";

test("the links of hostile texts are found in time linear in their length", () => {
  const grows = (unit: string) => {
    const took = (length: number) => {
      const text = `https://a.example/${unit.repeat(length)}`;
      const started = performance.now();
      for (let round = 0; round < 5; round++) linksIn(text);
      return performance.now() - started;
    };
    took(400);
    return took(16_000) / Math.max(1, took(2_000));
  };
  // Eight times the length: a quadratic search would take 64 times as long.
  for (const unit of [")", "(", "https://[", "`", "> "]) expect(grows(unit)).toBeLessThan(40);
});
