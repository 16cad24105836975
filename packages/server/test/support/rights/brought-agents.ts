import { COMMAND_LINE } from "../../../src/audit/audit.ts";
import { shownCode } from "../../../src/setup-codes/code-text.ts";
import { codeByName } from "../../../src/setup-codes/make-code.service.ts";
import * as of from "./belongings.ts";
import * as on from "./objects.ts";
import { body, changes, json, type Recipe, reads } from "./recipe.ts";

/** A code that anybody may use who has it, and one that does not exist. */
const setupCode: on.ObjectKind = {
  targets: [{ of: "own" }, { of: "absent" }],
  notFound: "setup_code_not_found",
  async get(world, { of }) {
    if (of === "absent") return { code: "0000-0000-0000" };
    const made = await codeByName(world.ctx, COMMAND_LINE, { agentName: world.name("set up"), grant: {} });
    return { code: shownCode(made.code) };
  },
};

/** A message in whose thread an agent works. Its channel is named in the body, and looked for first. */
const thread: on.ObjectKind = { ...on.message, notFound: "channel_not_found" };

/** Recipes for the routes of setup codes, of the commands that agents declare, of streams and sessions, and of bots. */
export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "PUT /api/agenthub/commands": [
    reads("declare commands", on.nothing, json({ commands: [] })),
    reads("declare commands", on.channel, body(["channel_slug"], { commands: [] })),
  ],
  "GET /api/channels/:channel_id/commands": [reads("read history", on.channel)],
  "POST /api/agenthub/streams": [
    changes("send as agent", on.channel, (handles, fresh) => ({
      body: { channel_slug: handles.channel_slug, client_msg_id: fresh() },
    })),
  ],
  "GET /api/agenthub/streams/:stream_id": [reads("read history", on.stream)],
  "POST /api/agenthub/streams/:stream_id/append": [
    reads("write own streams", on.othersStream, json({ offset: 0, delta: "x" })),
  ],
  "POST /api/agenthub/streams/:stream_id/finish": [reads("write own streams", on.othersStream, json({ message: "x" }))],
  "POST /api/agenthub/streams/:stream_id/cancel": [reads("write own streams", on.othersStream, json({}))],
  "PUT /api/agenthub/sessions": [
    reads("show own work", thread, ({ channel_slug, message_id }) => ({
      body: { channel_slug, thread_root_id: message_id, state: "working" },
    })),
  ],
  "GET /api/channels/:channel_id/sessions": [reads("read history", on.channel)],
  "GET /api/agents/sessions": [reads("see agents at work")],
  "GET /api/agents/:agent_id/telegram": [reads("see bots", of.agent)],
  "POST /api/agents/:agent_id/setup-codes": [reads("make setup code", of.agent, json({}))],
  "POST /api/agents/setup-codes": [
    reads("set up agent", on.nothing, (_, fresh) => ({ body: { agent_name: fresh() } })),
  ],
  "POST /api/agenthub/setup": [reads("use setup code", setupCode, body(["code"]))],
  "GET /clients/:file": [reads("see the service", on.nothing, () => ({ params: { file: "parley-acp.tgz" } }))],
  "POST /api/agenthub/setup/look": [reads("use setup code", setupCode, body(["code"]))],
};
