import type { UpdateChannelBody } from "@parley/protocol/channels";
import { CHANNEL_TEXTS, type ChannelText } from "@parley/protocol/limits";
import type { ChannelFacts } from "@parley/protocol/models";
import type { Selectable } from "kysely";
import { optionalText } from "../../base/visible-text.ts";
import type { ChannelsTable } from "../../db/tables/channels.ts";

type Columns = Selectable<ChannelsTable>;

/** The names of the settings that are columns of the same name. */
export type SettingName =
  | ChannelText
  | "pin_policy"
  | "post_policy"
  | "agent_policy"
  | "here_by"
  | "slow_mode_seconds"
  | "approval_rule"
  | "price"
  | "link_previews"
  | "retention_days"
  | "keep_pinned";

/** These settings of a channel, as in its record. */
export type ChannelSettings = Readonly<Pick<ChannelFacts, SettingName>>;
type SettingColumns = Pick<Columns, SettingName>;

/** A setting that is a column. Its schemas are in the protocol's `models.ts` and `channels.ts`. */
interface Setting<Value, Column> {
  /** The column of a new channel. */
  readonly initial: Column;
  /** Only the owner may change it, not the admins of the channel. */
  readonly isOwners?: true;
  /** A purge makes it null. */
  readonly isPurged?: true;
  /** Absent: the value is stored as it is. */
  readonly toColumn?: (value: Value) => Column;
  readonly fromColumn?: (column: Column) => Value;
}

const TEXT: Setting<string | null, string | null> = { initial: null, isPurged: true, toColumn: optionalText };

/** A switch that is on in a new channel. */
const FLAG: Setting<boolean, number> = {
  initial: 1,
  toColumn: (isOn) => (isOn ? 1 : 0),
  fromColumn: (column) => column === 1,
};

/** An object that may be missing, stored as JSON. */
const json = <T>(): Setting<T | null, string | null> => ({
  initial: null,
  toColumn: (value) => (value === null ? null : JSON.stringify(value)),
  fromColumn: (column) => (column === null ? null : (JSON.parse(column) as T)),
});

const SETTINGS: { readonly [Name in SettingName]: Setting<ChannelSettings[Name], Columns[Name]> } = {
  ...(Object.fromEntries(Object.keys(CHANNEL_TEXTS).map((name) => [name, TEXT])) as Record<ChannelText, typeof TEXT>),
  pin_policy: { initial: "admins" },
  post_policy: { initial: "everyone" },
  agent_policy: { initial: "allow" },
  here_by: { initial: "members" },
  slow_mode_seconds: { initial: 0 },
  approval_rule: { ...json<ChannelSettings["approval_rule"]>(), isOwners: true },
  price: { ...json<ChannelSettings["price"]>(), isPurged: true },
  link_previews: FLAG,
  retention_days: { initial: null, isOwners: true },
  keep_pinned: { ...FLAG, isOwners: true },
};

// Each function takes what its own setting has, which the type of a list cannot say.
const ALL = Object.entries(SETTINGS) as [SettingName, Setting<unknown, unknown>][];

/** Returns the values of all settings for which there is one. */
function each(pick: (name: SettingName, setting: Setting<unknown, unknown>) => unknown): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of ALL) {
    const value = pick(name, setting);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** The columns of a new channel. */
export const INITIAL = each((_, { initial }) => initial) as SettingColumns;

/** The columns as a purge leaves them. */
export const PURGED = each((_, { isPurged }) => (isPurged ? null : undefined)) as Partial<SettingColumns>;

/** Returns true if only the owner of the channel may change this field, not its admins. */
export const isOwners = (field: string): boolean =>
  field === "owner_username" || ALL.some(([name, setting]) => name === field && setting.isOwners);

/** Returns the settings that a row has. */
export const settingsOf = (row: SettingColumns): ChannelSettings =>
  each((name, { fromColumn }) => (fromColumn ? fromColumn(row[name]) : row[name])) as unknown as ChannelSettings;

/** Picks the settings of a channel, for its record. */
export const pickSettings = (channel: ChannelSettings): ChannelSettings =>
  each((name) => channel[name]) as unknown as ChannelSettings;

/** Returns the columns that a body changes. */
export const changedColumns = (input: UpdateChannelBody): Partial<SettingColumns> =>
  each((name, { toColumn }) => {
    const value = input[name];
    return value === undefined || toColumn === undefined ? value : toColumn(value);
  });
