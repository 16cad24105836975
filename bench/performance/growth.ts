/** The stored figures of growth.ts, and their charts and tables. */
import { lineChart } from "../plots/lines.ts";
import { originOf } from "./runs.ts";
import { table } from "./tables.ts";

/** The file that growth.ts saves. */
export interface GrowthFile {
  date: string;
  commit: string;
  /** The processor is not known of runs from before these files. */
  machine: { cpu?: string; cores: number };
  calls: number;
  starts: number;
  axes: GrowthAxis[];
}

export interface GrowthAxis {
  name: string;
  sizes: number[];
  /** The wait for each kind of call at each size, in milliseconds. Of `start`, p99 is the slowest. */
  calls: Record<string, { p50: number; p99: number }[]>;
}

const shortSize = (size: number): string => {
  if (size >= 1_000_000) return `${size / 1_000_000}M`;
  return size >= 1_000 ? `${size / 1_000}k` : String(size);
};

const milliseconds = (value: number): string => `${value >= 100 ? value.toFixed(0) : value.toPrecision(2)} ms`;

export const growthFileName = (axis: GrowthAxis): string => `growth-${axis.name.replaceAll(/[^a-z]+/g, "-")}`;

export function growthChart(file: GrowthFile, axis: GrowthAxis): string {
  const panels = Object.entries(axis.calls).map(([title, waits]) => ({
    title,
    points: waits.map(({ p50 }, i) => ({ x: axis.sizes[i] ?? Number.NaN, y: p50 })),
  }));
  const ends = panels.map(({ title, points }) => {
    const [first, last] = [points[0]?.y ?? Number.NaN, points.at(-1)?.y ?? Number.NaN];
    return `${title} ${milliseconds(first)} at the smallest size, ${milliseconds(last)} at the largest`;
  });
  return lineChart(
    {
      title: `More and more ${axis.name}`,
      about: "Median wait for one call at a time. A line that stays level costs the same at any size.",
      description: `${ends.join(". ")}.`,
      notes: ["Each panel has its own scale, which starts at zero.", `${originOf(file)}.`],
    },
    panels,
    {
      xName: "logarithmic",
      xScale: "logarithmic",
      xTicks: axis.sizes,
      showX: shortSize,
      showY: milliseconds,
      columns: 2,
      labelsPoints: true,
    },
  );
}

export function growthTable(axis: GrowthAxis): string {
  const lines = Object.entries(axis.calls).map(([call, waits]) => {
    const [first, last] = [waits[0]?.p50 ?? Number.NaN, waits.at(-1)?.p50 ?? Number.NaN];
    const cells = waits.map(({ p50, p99 }) => `${p50.toFixed(2)} (${p99.toFixed(1)})`);
    return [call, ...cells, (last / first).toFixed(1)];
  });
  return table([axis.name, ...axis.sizes.map((size) => size.toLocaleString("en")), "last / first"], lines);
}
