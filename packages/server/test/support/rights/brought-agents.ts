import { makeInvitation } from "../../../src/accounts/invitations/invitations.ts";
import { COMMAND_LINE } from "../../../src/audit/audit.ts";
import { shownCode } from "../../../src/setup-codes/code-text.ts";
import { codeByName } from "../../../src/setup-codes/make-code.service.ts";
import * as of from "./belongings.ts";
import * as on from "./objects.ts";
import { body, json, type Recipe, reads } from "./recipe.ts";
import { isUser } from "./roles.ts";

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

/** Recipes for the routes of setup codes, of the commands that agents declare, of bots, of invitations, and of the site. */
export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "PUT /api/agenthub/commands": [
    reads("declare commands", on.nothing, json({ commands: [] })),
    reads("declare commands", on.channel, body(["channel_slug"], { commands: [] })),
  ],
  "GET /api/channels/:channel_id/commands": [reads("read history", on.channel)],
  "GET /api/agents/:agent_id/telegram": [reads("see bots", of.agent)],
  "POST /api/agents/:agent_id/setup-codes": [reads("make setup code", of.agent, json({}))],
  "POST /api/agents/setup-codes": [
    reads("set up agent", on.nothing, (_, fresh) => ({ body: { agent_name: fresh() } })),
  ],
  "POST /api/invitations": [reads("own invitations", on.nothing, json({}))],
  "GET /api/invitations": [reads("own invitations")],
  "GET /api/admin/invitations": [reads("list invitations")],
  "DELETE /api/invitations/:code": [reads("revoke invitation", madeInvitation)],
  "GET /api/admin/site": [reads("change site")],
  "PUT /api/admin/site": [reads("change site", on.nothing, json({ name: "Harbour" }))],
  "POST /api/agenthub/setup": [reads("use setup code", setupCode, body(["code"]))],
  "POST /api/agenthub/setup/look": [reads("use setup code", setupCode, body(["code"]))],
};
