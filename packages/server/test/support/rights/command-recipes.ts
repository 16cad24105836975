import * as on from "./objects.ts";
import { body, changes, json, page, type Recipe, reads } from "./recipe.ts";
import { ROUTES } from "./recipes.ts";

const SPEAKING = { agent_name: "PlatformAgent" };

/** Recipes for every WebSocket command, by name. */
export const COMMAND_RECIPES: Readonly<Record<string, readonly Recipe[]>> = {
  "auth:login": ROUTES["POST /api/auth/login"] ?? [],
  "auth:second-factor": ROUTES["POST /api/auth/second-factor"] ?? [],
  "auth:agent": [reads("see the service", on.apiKey, body(["api_key"]))],
  "channel:join": [
    reads("read history", on.unpricedChannel, body(["channel_id"])),
    changes("join channel", on.closedDoor, ({ channel_id, password }) => ({ body: { channel_id, password } })),
  ],
  "channel:leave": [reads("stop listening", on.channel, body(["channel_id"]))],
  "channel:read": [reads("mark as read", on.channel, body(["channel_id"]))],
  "message:send": [changes("send", on.channel, body(["channel_id"], { content: "hello" }))],
  "stream:start": [
    changes("send as agent", on.channel, (handles, fresh) => ({
      body: { channel_id: handles.channel_id, client_msg_id: fresh(), ...SPEAKING },
    })),
  ],
  "stream:append": [reads("write own streams", on.othersStream, body(["stream_id"], { offset: 0, delta: "x" }))],
  "stream:finish": [reads("write own streams", on.othersStream, body(["stream_id"], { message: "x" }))],
  "stream:cancel": [reads("write own streams", on.othersStream, body(["stream_id"]))],
  "message:edit": [changes("edit message", on.message, body(["message_id"], { content: "hello again" }))],
  "message:delete": [changes("delete message", on.message, body(["message_id"]))],
  "interaction:press": [changes("press card", on.card, body(["interaction_id"], { action_id: "ok" }))],
  "reaction:add": [changes("react", on.message, body(["message_id"], { reaction: "like" }))],
  "reaction:remove": [reads("take back reaction", on.message, body(["message_id"], { reaction: "like" }))],
  "typing:start": [reads("show typing", on.channel, body(["channel_id"]))],
  "typing:stop": [reads("show typing", on.channel, body(["channel_id"]))],
  "page:visible": [reads("own notifications", on.nothing, json({ visible: false }))],
  ping: page,
};

/** Recipes for the commands that an agent's socket carries out otherwise: their REST twins are routes of agents. */
export const AGENT_COMMAND_RECIPES: Readonly<Record<string, readonly Recipe[]>> = {
  "auth:login": [],
  "auth:second-factor": [],
  "auth:agent": [],
  "channel:join": [reads("log agent in", on.channel, body(["channel_id"], SPEAKING))],
  "channel:leave": [reads("log agent out", on.channel, body(["channel_id"]))],
  "message:send": [changes("send as agent", on.channel, body(["channel_id"], { ...SPEAKING, content: "hello" }))],
  "typing:start": [reads("send as agent", on.channel, body(["channel_id"], SPEAKING))],
  "typing:stop": [reads("send as agent", on.channel, body(["channel_id"], SPEAKING))],
};
