import type { ServerName } from "./servers/server.ts";
import type { Row } from "./suite.ts";

/** A goal for Parley: a ratio to a peer of the same run, or an absolute figure. */
export interface Goal {
  scenario: string;
  case: string;
  /** Null: compares Parley's absolute figure. */
  against: ServerName | null;
  /** A detail to compare instead of the case's value. */
  detail?: string;
  bound: "at least" | "at most";
  figure: number;
  unit: string;
}

const MB = "MB";
const times = (scenario: string, name: string, against: ServerName, figure: number): Goal => ({
  scenario,
  case: name,
  against,
  bound: "at least",
  figure,
  unit: "×",
});

/** Compact frames deliver more than full ones. */
const compact = (sockets: number): Goal => ({
  scenario: "fan-out",
  case: `${sockets} sockets, 64 in flight, compact frames beside full ones`,
  against: null,
  bound: "at least",
  figure: 1.6,
  unit: "×",
});

/** Another load generator finds the same rate. */
const confirmed = (name: string, bound: Goal["bound"], figure: number): Goal => ({
  scenario: "wrk",
  case: name,
  against: null,
  bound,
  figure,
  unit: "wrk ÷ own",
});

const web = (name: string, bound: Goal["bound"], figure: number, unit: string, detail?: string): Goal => ({
  scenario: "web",
  case: name,
  against: null,
  bound,
  figure,
  unit,
  ...(detail === undefined ? {} : { detail }),
});

export const goals: readonly Goal[] = [
  times("send-http", "64 in flight", "express", 15),
  times("send-http", "64 in flight", "bare-bun", 0.6),
  times("fan-out", "500 sockets, 64 in flight", "express", 20),
  times("fan-out", "500 sockets, 1 in flight", "express", 2.5),
  compact(500),
  compact(2000),
  times("newest-page", "64 connections", "express", 15),
  confirmed("durable sends", "at least", 0.9),
  confirmed("durable sends", "at most", 1.1),
  confirmed("newest page", "at least", 0.9),
  confirmed("newest page", "at most", 1.1),
  { ...confirmed("durable sends", "at most", 3), detail: "wrk_p99_to_p50", unit: "p99 ÷ p50" },
  times("claims", "64 in flight", "express", 10),
  times("claims", "1000 in flight", "express", 10),
  {
    scenario: "payments",
    case: "check of a new payment",
    against: null,
    bound: "at most",
    figure: 1,
    unit: "ms of CPU",
  },
  {
    scenario: "idle-sockets",
    case: "10000 joined sockets",
    against: null,
    bound: "at most",
    figure: 4096,
    unit: "bytes/socket",
  },
  {
    scenario: "idle-sockets",
    case: "10000 joined sockets, used process",
    against: null,
    bound: "at most",
    figure: 2500,
    unit: "bytes/socket",
  },
  {
    scenario: "cluster",
    case: "900 messages/s, 20 listeners each",
    against: null,
    bound: "at least",
    figure: 0.9,
    unit: "c₁ ÷ c₂",
  },
  ...[
    "common word",
    "rare word",
    "two words",
    "phrase",
    "common word, small channel",
    "common word, big channel",
    "rare word, small channel",
  ].map(
    (name): Goal => ({ scenario: "search", case: name, against: null, bound: "at most", figure: 20, unit: "ms p50" }),
  ),
  ...[
    "bundle, fresh folder",
    "bundle, existing folder",
    "executable, fresh folder",
    "executable, existing folder",
  ].flatMap((name): Goal[] => [
    { scenario: "boot", case: name, against: null, bound: "at most", figure: 300, unit: "ms" },
    { scenario: "boot", case: name, against: null, detail: "idle_resident_mb", bound: "at most", figure: 80, unit: MB },
  ]),
  web("first message, warm server", "at most", 300, "ms"),
  web("first message, warm server", "at most", 1000, "ms", "worst_ms"),
  web("first message, slow phone", "at most", 2500, "ms"),
  web("script on the wire", "at most", 200, "KB"),
  web("script on the wire", "at most", 150, "KB", "first_kb"),
  web("scrolling 100000 messages", "at least", 50, "frames/s"),
  web("scrolling 500 messages with code", "at least", 50, "frames/s"),
  web("typing, 200 messages/s", "at most", 50, "ms p95"),
  web("typing, 200 messages/s", "at most", 50, "ms", "event_timing_p95_ms"),
  // Each limit is less than a fifth of the page's total; smaller growth counts as none.
  web("memory, 200 messages/s", "at most", 1, MB),
  web("memory, 200 messages/s", "at most", 200, "nodes", "nodes_grown"),
  web("memory, 200 messages/s", "at most", 50, "listeners", "listeners_grown"),
];

export interface GoalResult {
  goal: Goal;
  reached: number;
  met: boolean;
}

/** Checks the goals that these rows cover. */
export function checkGoals(rows: readonly Row[]): GoalResult[] {
  const find = (goal: Goal, server: ServerName) =>
    rows.find((row) => row.scenario === goal.scenario && row.case === goal.case && row.server === server);
  return goals.flatMap((goal) => {
    const own = find(goal, "parley");
    const peer = goal.against === null ? null : find(goal, goal.against);
    if (!own || peer === undefined) return [];
    const value = goal.detail === undefined ? own.summary.median : (own.details[goal.detail] ?? Number.NaN);
    const reached = peer === null ? value : value / peer.summary.median;
    return [{ goal, reached, met: goal.bound === "at least" ? reached >= goal.figure : reached <= goal.figure }];
  });
}
