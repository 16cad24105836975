import { stillGif } from "../gifs.ts";
import * as of from "./belongings.ts";
import * as on from "./objects.ts";
import { changes, json, type Recipe, reads, type Say } from "./recipe.ts";
import * as notes from "./voice-notes.ts";

const SPEAKING = { agent_name: "PlatformAgent" };
const OPTIONS = ["approve", "deny"].map((action_id) => ({ action_id, label: action_id }));

/** The channel as tools name it, and other arguments. */
const there =
  (more: Readonly<Record<string, unknown>> = {}): Say =>
  ({ channel_slug, password }) => ({
    body: { channel: channel_slug, ...more, ...(password === undefined ? {} : { password }) },
  });

/** Recipes for every tool of MCP, by name: `body` is its arguments. */
export const TOOL_RECIPES: Readonly<Record<string, readonly Recipe[]>> = {
  whoami: [reads("read own inbox")],
  check_inbox: [reads("read own inbox")],
  ack: [reads("read own inbox", on.nothing, json({ item_ids: [1] }))],
  list_channels: [reads("list channels")],
  list_sessions: [reads("see agents at work")],
  read_channel: [reads("read as agent", on.channel, there())],
  search: [reads("read history", on.whatWasSaid, json({ query: "said" }))],
  join_channel: [changes("log agent in", on.door, there(SPEAKING))],
  leave_channel: [reads("log agent out", on.channel, there(SPEAKING))],
  react: [changes("react", on.message, ({ message_id }) => ({ body: { message_id, reaction: "like" } }))],
  send_message: [changes("send as agent", on.channel, there({ ...SPEAKING, message: "hello" }))],
  send_file: [
    changes("send as agent", on.channel, (handles, fresh) =>
      there({ ...SPEAKING, name: "a.txt", text: fresh() })(handles, fresh),
    ),
    changes("send as agent", on.channel, (handles, fresh) => {
      const base64 = Buffer.from(stillGif(1, 1, fresh())).toString("base64");
      return there({ ...SPEAKING, name: "a.gif", base64 })(handles, fresh);
    }),
  ],
  read_file: [reads("read files", of.unsentFile, ({ file_id }) => ({ body: { file_id } }))],
  ask_people: [
    changes(
      "send as agent",
      on.channel,
      there({ ...SPEAKING, question: "Deploy?", options: OPTIONS, who: { users: ["author"] } }),
    ),
  ],
  create_poll: [
    changes("send as agent", on.channel, (handles, fresh) =>
      there({ ...SPEAKING, question: fresh(), options: ["a", "b"] })(handles, fresh),
    ),
  ],
  list_emoji: [reads("read emoji", on.nothing)],
  write_transcript: [reads("write transcript", notes.noted, ({ file_id }) => ({ body: { file_id, text: "hello" } }))],
  check_answer: [reads("read card", on.ownCard, ({ interaction_id }) => ({ body: { interaction_id } }))],
};
