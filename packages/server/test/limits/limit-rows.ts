import { OPEN_SESSIONS_MAX } from "@parley/protocol/agent-sessions";
import { EMOJI_PER_USER } from "@parley/protocol/emoji-limits";
import {
  BLOCKS_PER_USER,
  CHANNELS_PER_USER,
  PINS_PER_CHANNEL,
  REACTIONS_PER_MESSAGE,
  STICKERS_PER_USER,
} from "@parley/protocol/limits";
import { STREAMS_PER_AGENT } from "@parley/protocol/stream-limits";
import { AGENT_WEBHOOKS_MAX, CHANNEL_WEBHOOKS_MAX } from "@parley/protocol/webhooks";
import { OPEN_CARDS_MAX } from "../../src/messages/cards/open-questions.ts";
import { askCard, asked } from "../support/cards.ts";
import { addEmoji } from "../support/emoji.ts";
import { stillGif } from "../support/gifs.ts";
import { newChannel } from "../support/new-channel.ts";
import { type Answered, Client, type TestServer } from "../support/servers/test-server.ts";
import { form, newSticker } from "../support/stickers.ts";

/** How many acts are sent at once. */
export const AT_ONCE = 50;

/** A server, or several nodes: act number n goes to one of them in turn. */
export interface Scene {
  server: TestServer;
  servers: readonly TestServer[];
  urls: readonly string[];
  /** A new user. */
  person(): Promise<Client & { username: string }>;
}

export interface LimitRow {
  /** What is limited. */
  name: string;
  code: string;
  /** Absent: a permitted act succeeds. */
  isPermitted?(answer: Answered): boolean;
  /** Fills the limit but for one; returns the acts of which one more is permitted. */
  prepare(scene: Scene): Promise<(n: number) => Promise<Answered>>;
}

/** The same caller on the node whose turn it is. */
export const at = ({ urls }: Scene, { credential }: Client, n: number): Client =>
  new Client(urls[n % urls.length] ?? "", credential);

/** Acts one after the other; every act must be permitted. */
export async function repeat(times: number, act: (n: number) => Promise<Answered>): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (let n = 0; n < times; n++) {
    const answer = await act(n);
    if (answer.status >= 300) throw new Error(`act ${n}: ${answer.status} ${JSON.stringify(answer.body)}`);
    answers.push(answer);
  }
  return answers;
}

/** The id of a user. */
export async function idOf({ server }: Scene, username: string): Promise<number> {
  const users = server.ctx.db.selectFrom("users").select("id");
  return (await users.where("username", "=", username).executeTakeFirstOrThrow()).id;
}

/** A row of an agent without an owner. */
export const AN_AGENT = {
  owner_user_id: null,
  owner_verified: 0,
  paused: 0,
  last_seen_at: null,
  dropped_mentions: 0,
} as const;

/** A new channel of an owner, with this number of messages. */
export async function roomOf(owner: Client, messages = 0) {
  const room = await newChannel(owner);
  const sent = await repeat(messages, (n) => owner.post("/api/messages", { channel_id: room.id, content: `m ${n}` }));
  return { ...room, messageIds: sent.map(({ body }) => body.message_id as number) };
}

/** Ten agents that speak in turn; one more message in a row is permitted. */
async function talkers({ server }: Scene, slug: string) {
  const limit = server.config.agentLoopLimit;
  const agents = await Promise.all(Array.from({ length: 10 }, () => server.agent()));
  const say = (n: number, url: string) =>
    new Client(url, agents[n % agents.length]?.credential).post("/api/agenthub/send", {
      channel_slug: slug,
      message: `word ${n}`,
    });
  await repeat(limit - 1, (n) => say(n, server.url));
  return say;
}

export const LIMIT_ROWS: readonly LimitRow[] = [
  {
    name: "channels of a user",
    code: "channel_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      await repeat(CHANNELS_PER_USER - 1, (n) => ann.post("/api/channels", { name: `full ${n}` }));
      return (n) => at(scene, ann, n).post("/api/channels", { name: `more ${n}` });
    },
  },
  {
    name: "channels of a user who is given one",
    code: "channel_limit_reached",
    async prepare(scene) {
      const [heir, owner] = [await scene.person(), await scene.person()];
      await repeat(CHANNELS_PER_USER - 1, (n) => heir.post("/api/channels", { name: `own ${n}` }));
      const given = await repeat(AT_ONCE, (n) => owner.post("/api/channels", { name: `gift ${n}` }));
      return (n) =>
        at(scene, owner, n).put(`/api/channels/${given[n]?.body.channel_id}`, { owner_username: heir.username });
    },
  },
  {
    name: "pinned messages of a channel",
    code: "pin_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const { messageIds } = await roomOf(ann, PINS_PER_CHANNEL - 1 + AT_ONCE);
      await repeat(PINS_PER_CHANNEL - 1, (n) => ann.post(`/api/messages/${messageIds[n]}/pin`));
      return (n) => at(scene, ann, n).post(`/api/messages/${messageIds[PINS_PER_CHANNEL - 1 + n]}/pin`);
    },
  },
  {
    name: "reactions on a message",
    code: "reaction_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const { messageIds } = await roomOf(ann, 1);
      const path = (name: string) => `/api/messages/${messageIds[0]}/reactions/${name}`;
      await repeat(REACTIONS_PER_MESSAGE - 1, (n) => ann.put(path(`full${n}`)));
      return (n) => at(scene, ann, n).put(path(`more${n}`));
    },
  },
  {
    name: "stickers of a user",
    code: "sticker_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      for (let n = 1; n < STICKERS_PER_USER; n++) await newSticker(ann, stillGif(2, 2, `full ${n}`));
      return (n) =>
        at(scene, ann, n).post("/api/stickers/upload", undefined, { raw: form(stillGif(2, 2, `more ${n}`)) });
    },
  },
  {
    name: "emoji of a user",
    code: "emoji_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      for (let n = 1; n < EMOJI_PER_USER; n++) await addEmoji(ann, `full_${n}_x`, stillGif(2, 2, `full ${n}`));
      return (n) => addEmoji(at(scene, ann, n), `more_${n}_x`, stillGif(2, 2, `more ${n}`));
    },
  },
  {
    name: "blocked users of a user",
    code: "block_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const { db, clock } = scene.server.ctx;
      const blocker_id = await idOf(scene, ann.username);
      const created_at = clock.now();
      const agents = await db
        .insertInto("agents")
        .values(Array.from({ length: BLOCKS_PER_USER - 1 }, () => ({ ...AN_AGENT, created_at })))
        .returning("id")
        .execute();
      const rows = agents.map(({ id }) => ({
        blocker_id,
        blocked_key: `a${id}`,
        user_id: null,
        agent_id: id,
        created_at,
      }));
      await db.insertInto("user_blocks").values(rows).execute();
      const others = await Promise.all(Array.from({ length: AT_ONCE }, () => scene.person()));
      return (n) => at(scene, ann, n).put(`/api/blocks/${others[n]?.username}`);
    },
  },
  {
    name: "incoming webhooks of a channel",
    code: "webhook_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const path = `/api/channels/${(await roomOf(ann)).id}/incoming-webhooks`;
      await repeat(CHANNEL_WEBHOOKS_MAX - 1, (n) => ann.post(path, { name: `full ${n}` }));
      return (n) => at(scene, ann, n).post(path, { name: `more ${n}` });
    },
  },
  {
    name: "webhooks of a channel",
    code: "webhook_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const { id: channel_id } = await roomOf(ann);
      const hook = (n: number) => ({ channel_id, url: `https://127.0.0.1:1024/${n}`, events: ["message.new"] });
      await repeat(CHANNEL_WEBHOOKS_MAX - 1, (n) => ann.post("/api/webhooks", hook(n)));
      return (n) => at(scene, ann, n).post("/api/webhooks", hook(100 + n));
    },
  },
  {
    name: "webhooks of an agent",
    code: "webhook_limit_reached",
    async prepare(scene) {
      const agent = await scene.server.agent();
      const hook = (n: number) => ({ url: `https://127.0.0.1:1024/${n}`, events: ["inbox.new"] });
      await repeat(AGENT_WEBHOOKS_MAX - 1, (n) => agent.post("/api/webhooks", hook(n)));
      return (n) => at(scene, agent, n).post("/api/webhooks", hook(100 + n));
    },
  },
  {
    name: "open questions of an agent",
    code: "card_limit_reached",
    async prepare(scene) {
      const agent = await scene.server.agent();
      const { username } = await scene.person();
      const { slug } = await roomOf(await scene.person());
      const question = { channel_slug: slug, interaction: { who: { users: [username] } } };
      for (let n = 1; n < OPEN_CARDS_MAX; n++) await asked(agent, question);
      return (n) => askCard(at(scene, agent, n), question);
    },
  },
  {
    name: "streams of an agent",
    code: "stream_limit_reached",
    async prepare(scene) {
      const agent = await scene.server.agent();
      const ann = await scene.person();
      const rooms: string[] = [];
      for (let n = 0; n < STREAMS_PER_AGENT + 44; n++) rooms.push((await newChannel(ann)).slug);
      const start = (client: Client, n: number) =>
        client.post("/api/agenthub/streams", { channel_slug: rooms[n % rooms.length], client_msg_id: `stream ${n}` });
      await repeat(STREAMS_PER_AGENT - 1, (n) => start(agent, n));
      return (n) => start(at(scene, agent, n), STREAMS_PER_AGENT - 1 + n);
    },
  },
  {
    name: "sessions of an agent",
    code: "session_limit_reached",
    async prepare(scene) {
      const agent = await scene.server.agent();
      const { slug, messageIds: roots } = await roomOf(await scene.person(), OPEN_SESSIONS_MAX + AT_ONCE);
      const start = (client: Client, n: number) =>
        client.put("/api/agenthub/sessions", {
          channel_slug: slug,
          thread_root_id: roots[n],
          agent_name: "Hard Worker",
          state: "working",
        });
      await repeat(OPEN_SESSIONS_MAX - 1, (n) => start(agent, n));
      return (n) => start(at(scene, agent, n), OPEN_SESSIONS_MAX - 1 + n);
    },
  },
  {
    name: "messages of agents in a row",
    code: "loop_guard_tripped",
    async prepare(scene) {
      const { slug } = await roomOf(await scene.person());
      const say = await talkers(scene, slug);
      return (n) => say(n, scene.urls[n % scene.urls.length] ?? "");
    },
  },
  {
    name: "streams of agents, which count as messages in a row",
    code: "loop_guard_tripped",
    async prepare(scene) {
      const { slug } = await roomOf(await scene.person());
      await talkers(scene, slug);
      const others = await Promise.all(Array.from({ length: AT_ONCE }, () => scene.server.agent()));
      return (n) =>
        at(scene, others[n] ?? scene.server.guest, n).post("/api/agenthub/streams", {
          channel_slug: slug,
          client_msg_id: `stream ${n}`,
        });
    },
  },
  {
    name: "messages of a user in slow mode",
    code: "slow_mode",
    async prepare(scene) {
      const [owner, member] = [await scene.person(), await scene.person()];
      const { id: channel_id } = await roomOf(owner);
      await repeat(1, () => owner.put(`/api/channels/${channel_id}`, { slow_mode_seconds: 3_600 }));
      await repeat(1, () => member.post(`/api/channels/${channel_id}/join`));
      return (n) => at(scene, member, n).post("/api/messages", { channel_id, content: `more ${n}` });
    },
  },
];
