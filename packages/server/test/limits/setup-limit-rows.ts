import { OPEN_SETUP_CODES_MAX } from "@parley/protocol/setup-codes";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { at, type LimitRow, repeat } from "./limit-rows.ts";

const BY_NAME = "/api/agents/setup-codes";

/** Limits of setup codes, and of the agents that members make with them. */
export const SETUP_LIMIT_ROWS: readonly LimitRow[] = [
  {
    name: "open setup codes of an agent",
    code: "setup_code_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const { agent_id } = await issueKey(scene.server.ctx, { ownerUsername: ann.username });
      const path = `/api/agents/${agent_id}/setup-codes`;
      await repeat(OPEN_SETUP_CODES_MAX - 1, () => ann.post(path, {}));
      return (n) => at(scene, ann, n).post(path, {});
    },
  },
  {
    name: "open setup codes for an agent that does not exist yet",
    code: "setup_code_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const body = { agent_name: `Soon of ${ann.username}` };
      await repeat(OPEN_SETUP_CODES_MAX - 1, () => ann.post(BY_NAME, body));
      return (n) => at(scene, ann, n).post(BY_NAME, body);
    },
  },
  {
    name: "agents that a member makes",
    code: "agent_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const make = (n: number) => at(scene, ann, n).post(BY_NAME, { agent_name: `Maker ${n} ${ann.username}` });
      await repeat(scene.server.config.agentsPerUser - 1, (n) => make(1_000 + n));
      return make;
    },
  },
];
