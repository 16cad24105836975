import { makeInvitation } from "../../../src/accounts/invitations/invitations.ts";
import { COMMAND_LINE } from "../../../src/audit/audit.ts";
import { shownCode } from "../../../src/setup-codes/code-text.ts";
import { codeByName } from "../../../src/setup-codes/make-code.service.ts";
import * as of from "./belongings.ts";
import * as on from "./objects.ts";
import { body, changes, json, type Recipe, reads, type Say } from "./recipe.ts";
import { isUser } from "./roles.ts";

/** A token that no mail has: test/digests has real ones. */
const inventedToken: Say = () => ({ params: { token: "A".repeat(43) } });

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

/** An invitation that a user has made. */
const madeInvitation: on.ObjectKind = {
  targets: [{ of: "own" }, { of: "another's" }, { of: "absent" }],
  notFound: "invitation_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { code: "NONE" };
    if (of === "own" && !isUser(role)) return null;
    const maker = of === "own" ? world.user(role) : await world.extra();
    return { code: (await makeInvitation(world.ctx, maker, {})).code };
  },
};

/** Recipes for the routes of agents' commands, streams and sessions, of setup codes, bots and invitations, and of the site. */
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
  "POST /api/channels/:channel_id/stop": [reads("stop agents", on.channel, json({ agent_id: 1 }))],
  "GET /api/agents/sessions": [reads("see agents at work")],
  "GET /api/agents/:agent_id/telegram": [reads("see bots", of.agent)],
  "POST /api/agents/:agent_id/setup-codes": [reads("make setup code", of.agent, json({}))],
  "POST /api/agents/setup-codes": [
    reads("set up agent", on.nothing, (_, fresh) => ({ body: { agent_name: fresh() } })),
  ],
  "POST /api/invitations": [reads("own invitations", on.nothing, json({}))],
  "POST /api/invitations/mail": [reads("invite by mail", on.nothing, json({ email: "eve@example.org" }))],
  "POST /api/auth/forgot": [reads("ask for new password", on.nothing, json({ account: "nobody" }))],
  // The link is invented: test/mail has real ones.
  "POST /api/auth/confirm-address": [reads("use confirmation link", on.nothing, json({ token: "A".repeat(43) }))],
  "POST /api/auth/confirmation-mail": [reads("own address")],
  "GET /api/mail": [reads("own address")],
  "GET /mail/unsubscribe/:token": [reads("see the service", on.nothing, inventedToken)],
  "POST /mail/unsubscribe/:token": [reads("end digests by token", on.nothing, inventedToken)],
  "GET /api/admin/mail": [reads("see health")],
  "GET /api/invitations": [reads("own invitations")],
  "GET /api/admin/invitations": [reads("list invitations")],
  "DELETE /api/invitations/:code": [reads("revoke invitation", madeInvitation)],
  "GET /api/admin/site": [reads("change site")],
  "PUT /api/admin/site": [reads("change site", on.nothing, json({ name: "Harbour" }))],
  "POST /api/agenthub/setup": [reads("use setup code", setupCode, body(["code"]))],
  "GET /clients/:file": [reads("see the service", on.nothing, () => ({ params: { file: "parley-acp.tgz" } }))],
  "POST /api/agenthub/setup/look": [reads("use setup code", setupCode, body(["code"]))],
};
