/**
 * An agent that acts: asked for a release, it writes what would change while people watch, asks two of them to approve,
 * and goes on only with their signed answer. Its owner's budget ends it:
 * bun examples/release-agent/main.ts <url> <channel> <approver> <approver>
 * The agent's key is in PARLEY_KEY.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { AgentClient, type MessageItem, ParleyError } from "@parley/sdk";

const [, , url = "http://127.0.0.1:3000", channel = "general", ...approvers] = process.argv;
const apiKey = process.env.PARLEY_KEY;
if (apiKey === undefined || approvers.length < 2) {
  console.error("Usage: PARLEY_KEY=ply_… bun examples/release-agent/main.ts <url> <channel> <approver> <approver>");
  process.exit(2);
}
const agent = new AgentClient({ url, apiKey, name: process.env.PARLEY_AGENT ?? "Shipper" });

/** Stands in for a language model that reads the changes and writes about them. */
async function* summaryOf(release: string) {
  yield { status: "reading 3 changes" };
  for (const piece of [`Release **${release}**:`, "\n- faster search", "\n- a fix for exports", "\n- no migration"]) {
    await sleep(150);
    yield piece;
  }
}

async function release(item: MessageItem): Promise<void> {
  const version = /\d+\.\d+/.exec(item.chat_message.content)?.[0] ?? "next";
  const summary = await agent.stream(item, summaryOf(version));
  console.log(`${version}: wrote message ${summary.message_id}`);
  const { decision } = await agent.ask(item.channel_slug, `Deploy ${version} to production?`, {
    who: { users: approvers },
    quorum: 2,
    clientMsgId: `deploy-${version}`,
    onAsked: () => console.log(`${version}: asked ${approvers.join(" and ")}`),
  });
  const verdict = decision.result?.action_id ?? decision.status;
  const names = decision.votes.map(({ username }) => username).join(" and ");
  console.log(`${version}: ${verdict}, by ${names}`);
  await agent.reply(item, verdict === "approve" ? `${version} is on its way.` : `${version} stays here.`, { part: 1 });
}

try {
  await agent.login(channel);
  console.log(`${agent.name} is in ${channel}.`);
  for await (const item of agent.inbox()) if (item.kind === "mention") await release(item);
} catch (error) {
  if (!(error instanceof ParleyError)) throw error;
  // The owner set the budget: do not try again before it resets.
  const details = error.is("budget_exhausted") ? ` It resets at ${error.details.resets_at}.` : "";
  console.error(`${error.code}: ${error.message}${details}`);
  process.exitCode = 1;
}
