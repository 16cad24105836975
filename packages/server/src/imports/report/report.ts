import { type ChannelChoice, chosenSlug } from "../channel-choice.ts";
import { CHOSEN_REASONS } from "../chosen-part.ts";
import { COUNTED, type ImportCounts, noCounts } from "../counts.ts";
import type { LeftOutKind, SourceChannel, SourceFormat } from "../source.ts";
import type { CountedStage, StageCounts, StagedLeftOut } from "../stage.ts";
import type { Later } from "./later.ts";
import { proposedNames } from "./users-proposal.ts";

/** Which kind of what is left out belongs to a count. */
const LEFT_OUT = {
  users: "user",
  agents: null,
  channels: "channel",
  messages: "message",
  replies: null,
  reactions: "reaction",
  pins: "pin",
  files: "file",
  mentions: "mention",
} as const satisfies Record<keyof ImportCounts, LeftOutKind | null>;

/** The answer of an import (protocol §14.0): what `--json` prints, and more in the file of the report. */
export interface ImportReport {
  readonly import_id: number | null;
  readonly format: SourceFormat;
  readonly status: "dry_run" | "closed" | "done" | "undone";
  readonly counts: ImportCounts;
  readonly left_out: readonly StagedLeftOut[];
  readonly workspace: CountedStage["workspace"];
  /** What the export does not have, as sentences. */
  readonly lacks: readonly string[];
  readonly replaced_characters: number;
  readonly users: readonly {
    source_id: string;
    source_name: string;
    username: string | null;
    state: "claimable" | "suspended" | "existing";
  }[];
  readonly agents: readonly { source_id: string; agent_name: string }[];
  /** Messages of channels that were here; absent in a dry run. */
  readonly later?: Later;
  readonly channels: readonly {
    source_id: string;
    source_name: string;
    kind: SourceChannel["kind"];
    channel_id: number | null;
    channel_slug: string | null;
    messages: number;
  }[];
}

/** The subject of a report. */
export interface ReportOf {
  readonly format: SourceFormat;
  /** What the export does not have, as sentences. */
  readonly lacks: readonly string[];
  readonly choice: ChannelChoice;
  readonly withFiles: boolean;
  readonly fetchesFiles: boolean;
}

/** Returns what an import of this stage would do. It does not know the database, so it calls nothing known. */
export async function dryRunReport(stage: CountedStage, about: ReportOf): Promise<ImportReport> {
  const { byChannel, moved, replacedCharacters, ...found } = stage.counts();
  const { filesHere, filesLinked } = found;
  const files = (about.withFiles ? filesHere.count : 0) + (about.fetchesFiles ? filesLinked.count : 0);
  const taken = { ...found, files };
  const leftOut = [...stage.leftOut(), ...filesLeftOut(found, about)];
  const counts = noCounts();
  for (const name of COUNTED) {
    counts[name].taken = taken[name];
    counts[name].left_out = leftOutOf(leftOut, LEFT_OUT[name]);
  }
  counts.messages.changed = moved;
  const [users, names] = [stage.users(), await proposedNames(stage.users())];
  return {
    import_id: null,
    format: about.format,
    status: "dry_run",
    counts,
    left_out: leftOut,
    workspace: stage.workspace,
    lacks: about.lacks,
    replaced_characters: replacedCharacters,
    users: users
      .filter(({ kind }) => kind === "person")
      .map(({ id, name, isGone }) => ({
        source_id: id,
        source_name: name,
        username: names.get(id) ?? null,
        state: isGone ? "suspended" : "claimable",
      })),
    agents: users.filter(({ kind }) => kind === "bot").map(({ id, name }) => ({ source_id: id, agent_name: name })),
    channels: stage.channels().map((channel) => ({
      source_id: channel.id,
      source_name: channel.name,
      kind: channel.kind,
      channel_id: null,
      channel_slug: chosenSlug(about.choice, channel) ?? null,
      messages: byChannel[channel.id] ?? 0,
    })),
  };
}

/** Files are taken only if they are asked for, and their bytes are there or can be fetched. */
function filesLeftOut(
  { filesHere, filesLinked, filesElsewhere }: Pick<StageCounts, "filesHere" | "filesLinked" | "filesElsewhere">,
  { withFiles, fetchesFiles }: Pick<ReportOf, "withFiles" | "fetchesFiles">,
): StagedLeftOut[] {
  const [here, linked, elsewhere] = [
    { kind: "file", reason: "not_asked", ...filesHere },
    { kind: "file", reason: "only_a_link", ...filesLinked },
    { kind: "file", reason: "no_bytes", ...filesElsewhere },
  ] as const;
  return [...(withFiles ? [] : [here]), ...(fetchesFiles ? [] : [linked]), elsewhere].filter(({ count }) => count > 0);
}

/** Conversations are counted as channels. */
function leftOutOf(leftOut: readonly StagedLeftOut[], kind: LeftOutKind | null): number {
  const kinds: readonly (LeftOutKind | null)[] = kind === "channel" ? ["channel", "direct"] : [kind];
  return leftOut.filter((each) => kinds.includes(each.kind)).reduce((sum, { count }) => sum + count, 0);
}

/** Above this share of the messages an import asks before it goes on (protocol §14.8). */
const BAD_SHARE = 0.01;

/** Returns how many messages are left out because something is wrong with them; null if that is at most 1 % of all. */
export function manyBadMessages({ counts, left_out }: ImportReport): number | null {
  const bad = left_out
    .filter(({ kind, reason }) => kind === "message" && !CHOSEN_REASONS.has(reason))
    .reduce((sum, { count }) => sum + count, 0);
  return bad > BAD_SHARE * (counts.messages.taken + counts.messages.known + bad) ? bad : null;
}
