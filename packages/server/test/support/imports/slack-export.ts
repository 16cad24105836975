type Json = Record<string, unknown>;

/** An export of Slack, as its files: JSON for values, bytes as they are. */
export type SlackExport = Record<string, unknown>;

export const TEAM = "T024ACME";
/** 2024-03-01 09:00 UTC, in seconds. */
export const BEGIN = 1709283600;
/** Returns the ts of a message, so many seconds after the beginning. */
export const ts = (seconds: number, micros = 100): string => `${BEGIN + seconds}.${String(micros).padStart(6, "0")}`;
/** Returns the day file of messages that are so many seconds after the beginning. */
export const dayOf = (seconds: number): string =>
  `${new Date((BEGIN + seconds) * 1000).toISOString().slice(0, 10)}.json`;
export const DAY = 24 * 60 * 60;

export const slackUser = (id: string, name: string, more: Json = {}, profile: Json = {}): Json => ({
  id,
  team_id: TEAM,
  name,
  deleted: false,
  real_name: profile.real_name ?? "",
  is_bot: false,
  profile: { real_name: "", display_name: "", team: TEAM, ...profile },
  ...more,
});

export const slackChannel = (id: string, name: string, members: readonly string[], more: Json = {}): Json => ({
  id,
  name,
  created: BEGIN - DAY,
  creator: members[0] ?? "",
  is_archived: false,
  is_general: name === "general",
  members,
  topic: { value: "", creator: "", last_set: 0 },
  purpose: { value: "", creator: "", last_set: 0 },
  ...more,
});

export const said = (user: string, seconds: number, text: string, more: Json = {}): Json => ({
  type: "message",
  user,
  text,
  ts: ts(seconds),
  ...more,
});

export const notice = (user: string, seconds: number, subtype: string): Json =>
  said(user, seconds, `<@${user}> did something`, { subtype });

/** A picture of one white pixel. */
export const PIXEL: Uint8Array = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==",
  "base64",
);

export const slackFile = (id: string, name: string, size: number, more: Json = {}): Json => ({
  id,
  name,
  title: name,
  mimetype: "image/png",
  mode: "hosted",
  size,
  url_private: `https://files.slack.com/files-pri/${TEAM}-${id}/${name}?t=xoxe-secret`,
  url_private_download: `https://files.slack.com/files-pri/${TEAM}-${id}/download/${name}?t=xoxe-secret`,
  ...more,
});

const PEOPLE = [
  slackUser(
    "U1ADA",
    "ada",
    { is_owner: true },
    { display_name: "Ada B.", real_name: "Ada Berg", email: "ada@example.org" },
  ),
  slackUser("U2BEN", "ben", {}, { real_name: "Ben Castle", email: "ben@example.org" }),
  slackUser("U3CORA", "cora", { deleted: true }, { real_name: "Cora Dunn" }),
  slackUser("U4BOT", "deploybot", { is_bot: true }, { real_name: "Deploys", bot_id: "B4BOT" }),
];
const THREAD = { thread_ts: ts(120) };

const GENERAL: readonly Json[] = [
  notice("U1ADA", 0, "channel_join"),
  notice("U2BEN", 10, "channel_join"),
  said(
    "U1ADA",
    60,
    "Hello *everybody*, <@U2BEN>: see <https://example.org/a|the page> &amp; <#C2RANDOM|random> :wave::skin-tone-3:",
    {
      reactions: [
        { name: "+1", users: ["U2BEN", "U3CORA"], count: 2 },
        { name: "party_parrot", users: ["U2BEN"], count: 1 },
      ],
      pinned_to: ["C1GENERAL"],
    },
  ),
  said("U2BEN", 120, "A question", { ...THREAD, reply_count: 3 }),
  said("U1ADA", 130, "An answer", { ...THREAD, parent_user_id: "U2BEN", edited: { user: "U1ADA", ts: ts(140) } }),
  said("U3CORA", 135, "Everybody should see this", { ...THREAD, parent_user_id: "U2BEN", subtype: "thread_broadcast" }),
  said("U4BOT", 200, "Deployed `main`\n```\nok\n```", { subtype: "bot_message", bot_id: "B4BOT", user: undefined }),
  said("U2BEN", 210, "waves", { subtype: "me_message" }),
  {
    type: "message",
    subtype: "bot_message",
    bot_id: "B9HOOK",
    username: "alerts",
    text: "",
    ts: ts(220),
    attachments: [
      { title: "Disk full", title_link: "https://example.org/disk", text: "on *db1*", fallback: "Disk full" },
    ],
  },
];

const LATER: readonly Json[] = [
  said("U2BEN", DAY + 10, "", {
    files: [slackFile("F1PIXEL", "pixel.png", PIXEL.length, { alt_txt: "A white dot" })],
    upload: true,
  }),
  said("U1ADA", DAY + 20, "Lost", {
    files: [
      { id: "F2", mode: "tombstone" },
      { id: "F3", mode: "hidden_by_limit" },
    ],
  }),
  said("USLACKBOT", DAY + 30, "This message was deleted.", {
    subtype: "tombstone",
    hidden: true,
    thread_ts: ts(DAY + 30),
    reply_count: 1,
  }),
  said("U2BEN", DAY + 40, "But I answered", { thread_ts: ts(DAY + 30), parent_user_id: "USLACKBOT" }),
  said("U1ADA", DAY + 50, "To what is gone", { thread_ts: ts(30), parent_user_id: "U2BEN" }),
  { type: "message", user: "U1ADA", text: "no time" },
  said("U7GONE", DAY + 60, "I am in no list", {
    user_profile: { name: "gus", real_name: "Gus Hall", display_name: "gus" },
  }),
];

/** What is known of `sampleExport`: what a reader must find in it when all of its channels are taken. */
export const SAMPLE_COUNTS = {
  /** ada, ben, cora, gus. */
  users: 4,
  /** deploybot, and the webhook that wrote as alerts. */
  agents: 2,
  /** general, random, secret, a group, and a direct conversation. */
  channels: 5,
  /** Of general 7 and 6, and 1 in each other one. */
  messages: 17,
  replies: 4,
  reactions: 3,
  pins: 1,
  files: 1,
  mentions: 1,
} as const;

/** What is left out of it, by kind and reason. */
export const SAMPLE_LEFT_OUT = {
  "direct with_oneself": 1,
  "system_message channel_join": 2,
  "file tombstone": 1,
  "file hidden_by_limit": 1,
  "message no_time": 1,
} as const;

/** Returns an export that has some of everything, and whose results are known (`SAMPLE_COUNTS`). */
export function sampleExport(): SlackExport {
  return {
    "users.json": PEOPLE,
    "channels.json": [
      slackChannel("C1GENERAL", "general", ["U1ADA", "U2BEN"], {
        topic: { value: "Everything &amp; more", creator: "U1ADA", last_set: BEGIN },
        pins: [{ id: ts(60), type: "C", created: BEGIN + 70, user: "U1ADA", owner: "U1ADA" }],
      }),
      slackChannel("C2RANDOM", "random", ["U1ADA", "U3CORA"], { is_archived: true }),
    ],
    "groups.json": [slackChannel("G1SECRET", "secret", ["U1ADA"])],
    "dms.json": [
      { id: "D1AB", created: BEGIN, members: ["U1ADA", "U2BEN"] },
      { id: "D2SELF", created: BEGIN, members: ["U1ADA", "U1ADA"] },
    ],
    "mpims.json": [slackChannel("G2GROUP", "mpdm-ada--ben--cora-1", ["U1ADA", "U2BEN", "U3CORA"])],
    [`general/${dayOf(0)}`]: GENERAL,
    [`general/${dayOf(DAY)}`]: LATER,
    [`random/${dayOf(0)}`]: [said("U1ADA", 65, "first &lt;here&gt;")],
    [`secret/${dayOf(0)}`]: [said("U1ADA", 70, "hush")],
    [`D1AB/${dayOf(0)}`]: [said("U2BEN", 75, "just us")],
    [`mpdm-ada--ben--cora-1/${dayOf(0)}`]: [said("U1ADA", 80, "the three of us")],
    "__uploads/F1PIXEL/pixel.png": PIXEL,
  };
}
