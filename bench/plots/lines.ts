/** Lines over time or over size, in one panel or in a grid of small ones. */
import { element, label, line, MARGIN, type Picture, picture, WIDTH } from "./svg.ts";

export interface Point {
  x: number;
  y: number;
}

export interface LinePanel {
  title: string;
  points: readonly Point[];
}

export interface LineAxes {
  /** Below each panel. A logarithmic axis says so. */
  xName: string;
  xScale: "linear" | "logarithmic";
  /** Where the x axis has labels. */
  xTicks: readonly number[];
  showX: (x: number) => string;
  showY: (y: number) => string;
  /** Panels in a row. */
  columns: 1 | 2;
  /** Writes the value beside each point. */
  labelsPoints: boolean;
}

interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const GUTTER = 22;

/** Returns the chart. Each panel has its own vertical scale, which starts at zero. */
export function lineChart(about: Picture, panels: readonly LinePanel[], axes: LineAxes): string {
  const width = (WIDTH - 2 * MARGIN - (axes.columns - 1) * GUTTER) / axes.columns;
  const inner = axes.columns === 1 ? 190 : 74;
  const height = inner + 72;
  return picture(about, (top) => {
    const body = panels.flatMap((panel, i) => {
      const left = MARGIN + (i % axes.columns) * (width + GUTTER);
      const y = top + 10 + Math.floor(i / axes.columns) * height;
      return drawPanel(panel, axes, { left, right: left + width, top: y, bottom: y + 28 + inner });
    });
    return { body, bottom: top + 10 + Math.ceil(panels.length / axes.columns) * height };
  });
}

/** Returns round numbers from zero to at least `largest`: two to five steps of 1, 2, or 5 times a power of ten. */
export function ticksTo(largest: number): number[] {
  if (!(largest > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [0.2, 0.5, 1, 2, 5].map((part) => part * power).find((size) => largest / size <= 5) ?? power;
  const count = Math.ceil(largest / step - 1e-9);
  // Multiples of a decimal fraction have no exact form.
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

function drawPanel({ title, points }: LinePanel, axes: LineAxes, outer: Frame): string[] {
  const labelWidth = axes.columns === 1 ? 58 : 0;
  const frame = { ...outer, left: outer.left + labelWidth, top: outer.top + 28 };
  const largest = Math.max(0, ...points.map(({ y }) => y));
  // Small panels have values beside their points instead of an axis, and need room for them.
  const ticks = axes.columns === 1 ? ticksTo(largest) : [0];
  const yEnd = axes.columns === 1 ? (ticks.at(-1) ?? 1) : largest * 1.25 || 1;
  const sideways = axes.labelsPoints ? 26 : 0;
  const along = axes.xScale === "logarithmic" ? Math.log10 : (x: number) => x;
  const [first, last] = [along(axes.xTicks[0] ?? 0), along(axes.xTicks.at(-1) ?? 1)];
  const xAt = (x: number) =>
    frame.left + sideways + ((along(x) - first) / (last - first || 1)) * (frame.right - frame.left - 2 * sideways);
  const yAt = (y: number) => frame.bottom - (y / yEnd) * (frame.bottom - frame.top);
  const path = points.map(({ x, y }) => `${xAt(x).toFixed(2)},${yAt(y).toFixed(2)}`);
  return [
    label({ x: outer.left, y: outer.top + 16, text: title, look: "head" }),
    ...ticks.flatMap((tick) => [
      line(tick === 0 ? "base" : "grid", frame.left, yAt(tick), frame.right, yAt(tick)),
      ...(axes.columns === 1
        ? [label({ x: frame.left - 8, y: yAt(tick) + 4, text: axes.showY(tick), look: "soft", anchor: "end" })]
        : []),
    ]),
    ...axes.xTicks.map((tick, i) =>
      label({ x: xAt(tick), y: frame.bottom + 17, text: axes.showX(tick), look: "soft", anchor: edge(i, axes) }),
    ),
    label({
      x: (frame.left + frame.right) / 2,
      y: frame.bottom + 34,
      text: axes.xName,
      look: "soft",
      anchor: "middle",
    }),
    ...drawLine(path, points, frame, xAt),
    ...(axes.labelsPoints ? drawValues(points, axes, xAt, yAt) : []),
  ];
}

/** Without room at the sides, the outer labels of the axis end with it. */
function edge(i: number, { labelsPoints, xTicks }: LineAxes): "start" | "middle" | "end" {
  if (labelsPoints) return "middle";
  return i === 0 ? "start" : i === xTicks.length - 1 ? "end" : "middle";
}

function drawLine(
  path: readonly string[],
  points: readonly Point[],
  frame: Frame,
  xAt: (x: number) => number,
): string[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined)
    return [label({ x: frame.left + 6, y: frame.bottom - 8, text: "not measured", look: "gap" })];
  const corners = [`${xAt(first.x).toFixed(2)},${frame.bottom}`, `${xAt(last.x).toFixed(2)},${frame.bottom}`];
  return [
    element("polygon", { class: "area", points: [corners[0], ...path, corners[1]].join(" ") }),
    element("polyline", { class: "line", points: path.join(" ") }),
  ];
}

function drawValues(
  points: readonly Point[],
  axes: LineAxes,
  xAt: (x: number) => number,
  yAt: (y: number) => number,
): string[] {
  return points.flatMap(({ x, y }) => [
    element("circle", { class: "own", cx: xAt(x), cy: yAt(y), r: 3.5 }),
    label({ x: xAt(x), y: yAt(y) - 8, text: axes.showY(y), look: "value", anchor: "middle" }),
  ]);
}
