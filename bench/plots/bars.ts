/** Horizontal bars from zero: one panel for each case, one bar for each server. */
import { element, label, line, MARGIN, type Picture, picture, WIDTH } from "./svg.ts";

export interface Bar {
  label: string;
  /** Null: there is no figure, which the chart says in words. */
  value: number | null;
  /** The value as people read it, with its unit, or why there is none. */
  shown: string;
  /** The smallest and the largest of the rounds. */
  range?: readonly [number, number];
  /** A word at the right edge. */
  remark?: string;
  isOwn: boolean;
  goals?: readonly number[];
}

export interface BarPanel {
  title: string;
  /** At the right of the title: the unit and which end is good. */
  unit: string;
  bars: readonly Bar[];
}

const HEAD = 34;
const BAR = 15;
const ROW = 24;
/** A row whose label is above its bar. */
const TALL_ROW = 42;
/** Longer labels do not fit beside the bars. */
const BESIDE_CHARACTERS = 14;

interface Columns {
  isTall: boolean;
  barStart: number;
  barEnd: number;
  valueEnd: number;
}

function columnsOf(panels: readonly BarPanel[]): Columns {
  const bars = panels.flatMap((panel) => panel.bars);
  const longest = (texts: string[]) => Math.max(0, ...texts.map((text) => text.length));
  const isTall = longest(bars.map((bar) => bar.label)) > BESIDE_CHARACTERS;
  const remarks = longest(bars.map(({ remark = "" }) => remark));
  const valueEnd = WIDTH - MARGIN - (remarks === 0 ? 0 : 76);
  const values = longest(bars.filter(({ value }) => value !== null).map(({ shown }) => shown));
  return { isTall, barStart: isTall ? MARGIN : 112, barEnd: valueEnd - values * 7.6 - 12, valueEnd };
}

/** Returns the chart. Each panel has its own scale, which starts at zero. */
export function barChart(about: Picture, panels: readonly BarPanel[]): string {
  const columns = columnsOf(panels);
  return picture(about, (top) => {
    const body: string[] = [];
    let y = top + 8;
    for (const panel of panels) {
      body.push(label({ x: MARGIN, y: y + 18, text: panel.title, look: "head" }));
      body.push(label({ x: WIDTH - MARGIN, y: y + 18, text: panel.unit, look: "soft", anchor: "end" }));
      const height = panel.bars.length * (columns.isTall ? TALL_ROW : ROW);
      body.push(...drawBars(panel.bars, y + HEAD - 6, columns));
      y += HEAD + height;
    }
    return { body, bottom: y };
  });
}

function drawBars(bars: readonly Bar[], top: number, columns: Columns): string[] {
  const largest = Math.max(
    0,
    ...bars.flatMap(({ value, range = [], goals = [] }) => [value ?? 0, ...range, ...goals]).filter(Number.isFinite),
  );
  const { isTall, barStart, barEnd } = columns;
  const scale = largest === 0 ? 0 : (barEnd - barStart) / largest;
  const row = isTall ? TALL_ROW : ROW;
  return bars.flatMap((bar, i) => drawBar(bar, top + i * row, scale, columns));
}

function drawBar(bar: Bar, top: number, scale: number, { isTall, barStart, valueEnd }: Columns): string[] {
  const y = top + (isTall ? 22 : 4);
  const textY = y + BAR - 3;
  const at = (value: number) => barStart + value * scale;
  const look = bar.isOwn ? ("strong" as const) : undefined;
  const parts = [
    line("base", barStart, y - 4, barStart, y + BAR + 5),
    isTall
      ? label({ x: barStart, y: y - 6, text: bar.label, ...(look && { look }) })
      : label({ x: barStart - 8, y: textY, text: bar.label, anchor: "end", ...(look && { look }) }),
  ];
  if (bar.value === null) return [...parts, label({ x: barStart + 6, y: textY, text: bar.shown, look: "gap" })];
  parts.push(
    element("rect", {
      class: bar.isOwn ? "own" : "other",
      x: barStart,
      y,
      width: bar.value * scale,
      height: BAR,
    }),
  );
  if (bar.range !== undefined) {
    const [low, high] = bar.range;
    const middle = y + BAR / 2;
    parts.push(line("halo", at(low), middle, at(high), middle), line("range", at(low), middle, at(high), middle));
    for (const end of [low, high]) parts.push(line("range", at(end), middle - 3, at(end), middle + 3));
  }
  for (const goal of bar.goals ?? []) parts.push(line("goal", at(goal), y - 3, at(goal), y + BAR + 3));
  parts.push(label({ x: valueEnd, y: textY, text: bar.shown, anchor: "end", ...(look && { look }) }));
  if (bar.remark) parts.push(label({ x: WIDTH - MARGIN, y: textY, text: bar.remark, look: "soft", anchor: "end" }));
  return parts;
}
