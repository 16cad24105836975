import { writeExportFolder, writeExportZip } from "./export-files.ts";

type Json = Record<string, unknown>;

/** An export of Mattermost, as its files: lists of lines, or bytes. */
export type MattermostExport = Record<string, readonly unknown[] | Uint8Array>;

/** Returns the bytes of a file of an export. */
export const bytesOf = (value: readonly unknown[] | Uint8Array): Uint8Array =>
  value instanceof Uint8Array
    ? value
    : new TextEncoder().encode(value.map((line) => `${JSON.stringify(line)}\n`).join(""));

const bytes = (value: unknown): Uint8Array => bytesOf(value as readonly unknown[] | Uint8Array);

export const writeMattermostZip = (path: string, files: MattermostExport): Promise<string> =>
  writeExportZip(path, files, bytes);

export const writeMattermostFolder = (folder: string, files: MattermostExport): Promise<string> =>
  writeExportFolder(folder, files, bytes);

/** 2024-03-01 09:00 UTC, in milliseconds. */
export const BEGIN = 1_709_283_600_000;
export const DAY = 24 * 60 * 60 * 1000;
/** Returns the time so many seconds after the beginning. */
export const at = (seconds: number): number => BEGIN + seconds * 1000;

export const versionLine = (): Json => ({
  type: "version",
  version: 1,
  info: { generator: "mattermost-server", version: "10.5.0 (abc, enterprise: false)", created: "2024-04-01T00:00:00Z" },
});

export const teamLine = (name: string, more: Json = {}): Json => ({
  type: "team",
  team: { name, display_name: name, type: "O", description: "", allow_open_invite: true, ...more },
});

export const channelLine = (team: string, name: string, more: Json = {}): Json => ({
  type: "channel",
  channel: { team, name, display_name: name, type: "O", header: "", purpose: "", deleted_at: 0, ...more },
});

/** `channels`: the names of channels by team; those of which the person is an administrator end with `*`. */
export const userLine = (
  username: string,
  channels: Record<string, readonly string[]> = {},
  more: Json = {},
): Json => ({
  type: "user",
  user: {
    username,
    email: `${username}@example.org`,
    auth_service: null,
    nickname: "",
    first_name: "",
    last_name: "",
    position: "",
    roles: "system_user",
    locale: "en",
    delete_at: 0,
    teams: Object.entries(channels).map(([name, list]) => ({
      name,
      roles: "team_user",
      channels: list.map((each) => ({
        name: each.replace("*", ""),
        roles: each.endsWith("*") ? "channel_admin channel_user" : "channel_user",
        notify_props: { desktop: "default", mobile: "default", mark_unread: "all" },
        favorite: false,
      })),
    })),
    ...more,
  },
});

export const botLine = (username: string, more: Json = {}): Json => ({
  type: "bot",
  bot: { username, owner: "ada", display_name: "", description: "", delete_at: 0, ...more },
});

export const reply = (user: string, seconds: number, message: string, more: Json = {}): Json => ({
  user,
  type: "",
  message,
  props: {},
  create_at: at(seconds),
  edit_at: 0,
  is_pinned: false,
  flagged_by: [],
  ...more,
});

export const postLine = (channel: string, user: string, seconds: number, message: string, more: Json = {}): Json => ({
  type: "post",
  post: { team: "core", channel, ...reply(user, seconds, message), reactions: [], replies: [], ...more },
});

export const directPostLine = (
  members: readonly string[],
  user: string,
  seconds: number,
  message: string,
  more: Json = {},
): Json => ({
  type: "direct_post",
  direct_post: { channel_members: members, ...reply(user, seconds, message), reactions: null, replies: null, ...more },
});

export const reaction = (user: string, emoji_name: string): Json => ({ user, emoji_name, create_at: at(1_000) });

/** A picture of one white pixel. */
export const PIXEL: Uint8Array = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==",
  "base64",
);

const FILE = "20240301/teams/noteam/channels/c1/users/u1/f1/pixel.png";

const GENERAL: readonly Json[] = [
  postLine("general", "ada", 0, "ada joined the channel.", { type: "system_join_channel" }),
  postLine("general", "ada", 60, "Hello **everybody**, @ben: see ~random :wave_medium_light_skin_tone:", {
    is_pinned: true,
    reactions: [reaction("ben", "+1"), reaction("cora", "thumbsup"), reaction("ben", "party_parrot")],
  }),
  postLine("general", "ben", 120, "A question", {
    replies: [
      reply("ada", 130, "An answer", { edit_at: at(140) }),
      reply("cora", 135, "Another", { reactions: [reaction("ada", "tada")] }),
    ],
    thread_followers: [{ user: "ada", last_viewed: 0, unread_mentions: 0 }],
  }),
  postLine("general", "deploybot", 200, "Deployed `@ada`\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
  postLine("general", "ada", 220, "", {
    type: "slack_attachment",
    props: {
      from_webhook: "true",
      override_username: "alerts",
      attachments: [{ title: "Disk full", title_link: "https://example.org/disk", text: "on **db1**" }],
    },
  }),
  postLine("general", "ben", 230, "*waves*", { type: "me" }),
  postLine("general", "ben", 240, "twice", {}),
  postLine("general", "ben", 240, "twice", {}),
  postLine("general", "ben", DAY / 1000, "", { attachments: [{ path: FILE }] }),
  postLine("general", "gus", 300, "I am in no list"),
  postLine("general", "ada", 0, "no time", { create_at: null }),
];

/** What is known of `sampleExport`: what a reader must find in it when all of its channels are taken. */
export const SAMPLE_COUNTS = {
  /** ada, ben, cora, gus. */
  users: 4,
  /** deploybot, and the webhook that wrote as alerts. */
  agents: 2,
  /** general, random, secret, a group, and a direct conversation. */
  channels: 5,
  /** Of general 11, and 1 in each other one. */
  messages: 15,
  replies: 2,
  reactions: 4,
  pins: 1,
  files: 1,
  mentions: 1,
} as const;

/** What is left out of it, by kind and reason. */
export const SAMPLE_LEFT_OUT = {
  "direct with_oneself": 1,
  "system_message system_join_channel": 1,
  "message no_time": 1,
} as const;

/** Returns an export that has some of everything, and whose results are known (`SAMPLE_COUNTS`). */
export function sampleExport(): MattermostExport {
  return {
    "import.jsonl": [
      versionLine(),
      { type: "role", role: { name: "system_user", permissions: [] } },
      teamLine("core", { display_name: "Acme", allow_open_invite: false }),
      channelLine("core", "general", { header: "Everything & more" }),
      channelLine("core", "random", { deleted_at: at(DAY / 1000) }),
      channelLine("core", "secret", { type: "P" }),
      userLine("ada", { core: ["general*", "random", "secret*"] }, { nickname: "Ada B.", profile_image: "ada.png" }),
      userLine("ben", { core: ["general"] }, { first_name: "Ben", last_name: "Castle" }),
      userLine("cora", { core: ["random"] }, { delete_at: at(90) }),
      botLine("deploybot", { display_name: "Deploys" }),
      ...GENERAL,
      postLine("random", "ada", 65, "first <here>"),
      postLine("secret", "ada", 70, "hush"),
      { type: "emoji", emoji: { name: "party_parrot", image: "emoji/e1/image" } },
      {
        type: "direct_channel",
        direct_channel: { participants: [{ username: "ben" }, { username: "ada" }], header: "" },
      },
      { type: "direct_channel", direct_channel: { members: ["ada", "ada"], header: "" } },
      { type: "direct_channel", direct_channel: { members: ["cora", "ada", "ben"], header: "" } },
      directPostLine(["ada", "ben"], "ben", 75, "just us"),
      directPostLine(["ada", "ada"], "ada", 76, "note to self"),
      directPostLine(["ada", "ben", "cora"], "ada", 80, "the three of us"),
      { type: "something_new", something_new: { name: "x" } },
    ],
    [`data/${FILE}`]: PIXEL,
    "data/emoji/e1/image": PIXEL,
    "data/ada.png": PIXEL,
  };
}
