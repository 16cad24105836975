/** The stored figures of soak.ts, and their chart. */
import { lineChart, ticksTo } from "../plots/lines.ts";
import { originOf } from "./runs.ts";
import { table } from "./tables.ts";

/** The file that soak.ts saves. Older files do not say when and where they were made. */
export interface SoakFile {
  date?: string;
  commit?: string;
  machine?: { cpu: string; cores: number };
  minutes: number;
  sockets_replaced: number;
  median_mib_of_each_quarter: number[];
  growth_mib: number;
  highest_mib: number;
  samples: { seconds: number; mib: number }[];
}

export function soakChart(file: SoakFile): string {
  const { date, commit, machine = {} } = file;
  const origin = date === undefined || commit === undefined ? [] : [originOf({ date, commit, machine })];
  const points = file.samples.map(({ seconds, mib }) => ({ x: seconds / 60, y: mib }));
  const quarters = file.median_mib_of_each_quarter.map((mib) => `${mib} MiB`).join(", ");
  return lineChart(
    {
      title: "Resident memory of a busy server",
      about:
        "Sockets, channels and agents come and go all the time, and nothing of them is left. Memory must become flat.",
      description: `Medians of the quarters of ${file.minutes} minutes: ${quarters}. Highest: ${file.highest_mib} MiB.`,
      notes: origin.map((text) => `${text}. Server and load share the machine.`),
    },
    [{ title: "MiB, from zero", points }],
    {
      xName: "minutes",
      xScale: "linear",
      xTicks: ticksTo(points.at(-1)?.x ?? 1),
      showX: (x) => String(x),
      showY: (y) => String(y),
      columns: 1,
      labelsPoints: false,
    },
  );
}

export function soakTable(file: SoakFile): string {
  const quarters = file.median_mib_of_each_quarter;
  const head = ["MiB", ...quarters.map((_, i) => `quarter ${i + 1}`), "quarter 4 minus 2", "highest"];
  return table(head, [["median", ...quarters.map(String), String(file.growth_mib), String(file.highest_mib)]]);
}
