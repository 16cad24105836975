/**
 * An agent that asks two people to approve a deployment, waits, verifies the receipt and prints it:
 * bun examples/approval-bot/main.ts <url> <channel> <approver> <approver>
 * The agent's key is in PARLEY_KEY.
 */
import { AgentClient, ParleyError } from "@parley/sdk";

const [, , url = "http://127.0.0.1:3000", channel = "general", ...approvers] = process.argv;
const apiKey = process.env.PARLEY_KEY;
if (apiKey === undefined || approvers.length < 2) {
  console.error("Usage: PARLEY_KEY=ply_… bun examples/approval-bot/main.ts <url> <channel> <approver> <approver>");
  process.exit(2);
}
const release = process.env.RELEASE ?? "2.4";
const agent = new AgentClient({ url, apiKey, name: process.env.PARLEY_AGENT ?? "Shipper" });

try {
  await agent.login(channel);
  const { decision, receipt } = await agent.ask(channel, `Deploy **${release}** to production?`, {
    who: { users: approvers },
    quorum: 2,
    expires_in: 3_600,
    // The same question for every run of this release: a restart waits for it and asks nothing twice.
    clientMsgId: `deploy-${release}`,
    onAsked: ({ id }) => console.log(`asked ${id}`),
  });
  // `ask` has verified this: the server signed it, and people answered exactly this text and card.
  console.log(JSON.stringify({ decision, receipt }, null, 2));
  const isApproved = decision.status === "decided" && decision.result?.action_id === "approve";
  if (!isApproved) {
    await agent.send(
      channel,
      `Release ${release} stays where it is: ${decision.result?.action_id ?? decision.status}.`,
    );
    process.exit(1);
  }
  const names = decision.votes.map(({ username }) => username).join(" and ");
  await agent.send(channel, `Deploying ${release}: approved by ${names}.`, { client_msg_id: `deploying-${release}` });
  console.log(`deploying ${release}`);
} catch (error) {
  console.error(error instanceof ParleyError ? `${error.code}: ${error.message}` : error);
  process.exit(1);
}
