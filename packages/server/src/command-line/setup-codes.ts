import { renderUnicodeCompact } from "uqr";
import { COMMAND_LINE } from "../audit/audit.ts";
import { isoTime } from "../base/iso-time.ts";
import { setupUrl, shownCode } from "../setup-codes/code-text.ts";
import { codeByName } from "../setup-codes/make-code.service.ts";
import { type Invocation, print, UsageError } from "./command.ts";
import { grantOf } from "./keys.ts";
import { addressOf } from "./running-server.ts";
import { openWritingTool } from "./tool.ts";

export async function setupCode(call: Invocation): Promise<number> {
  const { agent, owner } = call.values;
  if (typeof agent !== "string") throw new UsageError("--agent <name> is missing. It is the agent's name.");
  await using tool = await openWritingTool(call);
  const grant = grantOf(call, tool.ctx.clock.now());
  const ownerUsername = typeof owner === "string" ? owner : undefined;
  const made = await codeByName(tool.ctx, COMMAND_LINE, { agentName: agent, ownerUsername, grant });
  const setup_url = setupUrl(addressOf(tool.config), made.code);
  const until = isoTime(made.expiresAt);
  const record = {
    code: shownCode(made.code),
    setup_url,
    agent_id: made.agentId,
    agent_name: made.agentName,
    expires_at: until,
  };
  const picture = renderUnicodeCompact(setup_url, { ecc: "M", border: 2 });
  print(
    call,
    record,
    `${setup_url}\n\n${picture}\n\nThis is the setup code of ${made.agentName}: ${record.code}. It works once, until ${until}. It is not shown again.`,
  );
  return 0;
}
