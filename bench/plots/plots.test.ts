import { expect, test } from "bun:test";
import { type Bar, type BarPanel, barChart } from "./bars.ts";
import { type LineAxes, lineChart, ticksTo } from "./lines.ts";
import { element, escapeText, wrap } from "./svg.ts";

const about = { title: 'Sends <fast> & "safe"', about: "About.", description: "All of it.", notes: ["A note."] };
const bar = (label: string, value: number | null, more: Partial<Bar> = {}): Bar => ({
  label,
  value,
  shown: value === null ? "not measured" : `${value}/s`,
  isOwn: label === "Parley",
  ...more,
});
const panel = (...bars: Bar[]): BarPanel => ({ title: "64 in flight", unit: "sends/s", bars });
const axes: LineAxes = {
  xName: "messages, logarithmic",
  xScale: "logarithmic",
  xTicks: [10, 1_000, 100_000],
  showX: String,
  showY: (y) => `${y} ms`,
  columns: 2,
  labelsPoints: true,
};
const points = [
  { x: 10, y: 1 },
  { x: 1_000, y: 2 },
  { x: 100_000, y: 4 },
];

/** Returns the names of the elements, in order; throws if an element is not closed where it must be. */
function elementsOf(svg: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  for (const [whole, closing, name = "", , empty] of svg.matchAll(
    /<(\/?)([a-z]+)((?:\s[\w-]+="[^"<&]*(?:&#\d+;[^"<&]*)*")*)(\/?)>/gi,
  )) {
    if (closing === "/") {
      if (open.pop() !== name) throw new Error(`${whole} closes another element`);
      continue;
    }
    seen.push(name);
    if (empty !== "/") open.push(name);
  }
  if (open.length > 0) throw new Error(`not closed: ${open}`);
  const text = svg.replace(/<[^<>]*>/g, "");
  if (/[<>]|&(?!#\d+;)/.test(text)) throw new Error("a text is not escaped");
  return seen;
}

const widths = (svg: string): number[] =>
  [...svg.matchAll(/<rect class="(?:own|other)"[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));

test("the same chart has the same bytes", () => {
  const make = () => barChart(about, [panel(bar("Parley", 3), bar("express", 1 / 3))]);
  expect(make()).toBe(make());
  expect(lineChart(about, [{ title: "send", points }], axes)).toBe(lineChart(about, [{ title: "send", points }], axes));
});

test("charts are well-formed, and texts are escaped", () => {
  const bars = barChart(about, [panel(bar("a <b> & 'c'", 3, { range: [2, 4], remark: "load full", goals: [5] }))]);
  expect(elementsOf(bars).slice(0, 4)).toEqual(["svg", "title", "desc", "style"]);
  expect(bars).toContain("a &#60;b&#62; &#38; &#39;c&#39;");
  expect(bars).toContain('<title id="title">Sends &#60;fast&#62; &#38; &#34;safe&#34;</title>');
  elementsOf(lineChart(about, [{ title: "<send>", points }], axes));
  expect(element("text", { x: 1 / 3, class: '"' })).toBe('<text x="0.33" class="&#34;"/>');
  expect(escapeText("plain")).toBe("plain");
});

test("charts contain no script and nothing from elsewhere, and adapt to dark systems", () => {
  const svg = barChart(about, [panel(bar("Parley", 3))]);
  expect(svg).not.toMatch(/<script|href=|url\(|@import/);
  expect(svg).toContain("@media (prefers-color-scheme:dark)");
  expect(svg).toContain('role="img" aria-labelledby="title description"');
});

test("the lengths of bars are in proportion to their values", () => {
  const [parley = 0, express = 0, bare = 0] = widths(
    barChart(about, [panel(bar("Parley", 30), bar("express", 3), bar("bare-bun", 60))]),
  );
  expect(parley / express).toBeCloseTo(10, 1);
  expect(bare / parley).toBeCloseTo(2, 2);
});

test("a goal beyond all bars makes them shorter, and stays on the chart", () => {
  const svg = barChart(about, [panel(bar("Parley", 30, { goals: [60] }), bar("express", 3))]);
  const [, mark] = /<line class="goal" x1="([\d.]+)"/.exec(svg) ?? [];
  const [parley = 0] = widths(svg);
  const [, start] = /<rect class="own" x="([\d.]+)"/.exec(svg) ?? [];
  expect((Number(mark) - Number(start)) / parley).toBeCloseTo(2, 2);
});

test("a server without a figure leaves a gap with its name, and no bar of length zero", () => {
  const svg = barChart(about, [panel(bar("Parley", 30), bar("express", null))]);
  expect(widths(svg)).toHaveLength(1);
  expect(svg).toContain(">express</text>");
  expect(svg.match(/class="gap">not measured</g)).toHaveLength(1);
});

test("a value of zero has a bar without length", () => {
  expect(widths(barChart(about, [panel(bar("Parley", 0))]))).toEqual([0]);
});

test("on a logarithmic axis, equal factors have equal distances", () => {
  const svg = lineChart(about, [{ title: "send", points }], axes);
  const [a = 0, b = 0, c = 0] = [...svg.matchAll(/<circle [^>]*cx="([\d.]+)"/g)].map(([, x]) => Number(x));
  expect(b - a).toBeCloseTo(c - b, 1);
});

test("lines start from zero: twice the value is twice as high", () => {
  const svg = lineChart(about, [{ title: "send", points }], axes);
  const heights = [...svg.matchAll(/<circle [^>]*cy="([\d.]+)"/g)].map(([, y]) => Number(y));
  const [, zero] = /<line class="base"[^>]* y1="([\d.]+)"/.exec(svg) ?? [];
  const [one = 0, two = 0] = heights.map((y) => Number(zero) - y);
  expect(two / one).toBeCloseTo(2, 1);
});

test("a panel without points says that nothing was measured", () => {
  expect(lineChart(about, [{ title: "send", points: [] }], axes)).toContain(">not measured<");
});

test("ticks are round numbers up to at least the largest value", () => {
  expect(ticksTo(262)).toEqual([0, 100, 200, 300]);
  expect(ticksTo(0.45)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
  expect(ticksTo(30)).toEqual([0, 10, 20, 30]);
  expect(ticksTo(0)).toEqual([0, 1]);
});

test("texts are wrapped between words", () => {
  expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
  expect(wrap("a-word-that-is-too-long yes", 8)).toEqual(["a-word-that-is-too-long", "yes"]);
});
