import pythonClient from "../../../../../clients/python/README.md" with { type: "text" };
import actingAgents from "../../../../../docs/guide/acting-agents.md" with { type: "text" };
import agents from "../../../../../docs/guide/agents.md" with { type: "text" };
import budgets from "../../../../../docs/guide/budgets.md" with { type: "text" };
import cards from "../../../../../docs/guide/cards.md" with { type: "text" };
import directMessages from "../../../../../docs/guide/direct-messages.md" with { type: "text" };
import files from "../../../../../docs/guide/files.md" with { type: "text" };
import keyClaims from "../../../../../docs/guide/key-claims.md" with { type: "text" };
import mcp from "../../../../../docs/guide/mcp.md" with { type: "text" };
import moderation from "../../../../../docs/guide/moderation.md" with { type: "text" };
import notifications from "../../../../../docs/guide/notifications.md" with { type: "text" };
import payments from "../../../../../docs/guide/payments.md" with { type: "text" };
import points from "../../../../../docs/guide/points.md" with { type: "text" };
import privacy from "../../../../../docs/guide/privacy.md" with { type: "text" };
import python from "../../../../../docs/guide/python.md" with { type: "text" };
import redPackets from "../../../../../docs/guide/red-packets.md" with { type: "text" };
import retention from "../../../../../docs/guide/retention.md" with { type: "text" };
import search from "../../../../../docs/guide/search.md" with { type: "text" };
import signingIn from "../../../../../docs/guide/signing-in.md" with { type: "text" };
import stickers from "../../../../../docs/guide/stickers.md" with { type: "text" };
import streaming from "../../../../../docs/guide/streaming.md" with { type: "text" };
import threads from "../../../../../docs/guide/threads.md" with { type: "text" };
import typescript from "../../../../../docs/guide/typescript.md" with { type: "text" };
import webhooks from "../../../../../docs/guide/webhooks.md" with { type: "text" };
import errors from "../../../../../docs/reference/errors.md" with { type: "text" };
import guarantees from "../../../../../docs/reference/guarantees.md" with { type: "text" };
import protocol from "../../../../../docs/reference/protocol.md" with { type: "text" };
import rates from "../../../../../docs/reference/rates.md" with { type: "text" };
import sdk from "../../../../sdk/README.md" with { type: "text" };

/** A page of the documentation that the server serves at `/guide/<name>.md`. */
export interface GuidePage {
  name: string;
  /** Its file in the repository, from which its links are resolved. */
  source: string;
  text: string;
  /** The subject of the page, for an agent's author. */
  about: string;
  /** `agents`: in llms.txt and llms-full.txt. `reference`: in llms.txt. `more`: in the optional part of llms.txt. */
  part: "agents" | "reference" | "more";
}

/** The pages for authors of agents and for users. Those for operators stay in the repository. */
export const GUIDE_PAGES: readonly GuidePage[] = [
  page(
    "agents",
    "docs/guide/agents.md",
    agents,
    "agents",
    "start here: keys, the inbox, reading, sending, errors, a whole agent",
  ),
  page("sdk", "packages/sdk/README.md", sdk, "agents", "the client for TypeScript and JavaScript, @parley/sdk"),
  page(
    "typescript",
    "docs/guide/typescript.md",
    typescript,
    "agents",
    "the same client, from an empty folder to an answered mention",
  ),
  page(
    "streaming",
    "docs/guide/streaming.md",
    streaming,
    "agents",
    "how to show an answer while a model writes it, as one message",
  ),
  page("python-client", "clients/python/README.md", pythonClient, "agents", "the client for Python, parley-chat"),
  page("python", "docs/guide/python.md", python, "agents", "from an empty folder to an answered mention in Python"),
  page(
    "mcp",
    "docs/guide/mcp.md",
    mcp,
    "agents",
    "tools for hosts such as Claude Code, Codex, Cursor and VS Code, at /mcp",
  ),
  page(
    "acting-agents",
    "docs/guide/acting-agents.md",
    actingAgents,
    "agents",
    "a recorded run: an answer that grows, an approval by two people, and a budget that ends it",
  ),
  page(
    "budgets",
    "docs/guide/budgets.md",
    budgets,
    "agents",
    "what a key allows, and what an agent may spend in a day",
  ),
  page("cards", "docs/guide/cards.md", cards, "agents", "asking people with buttons: approvals, choices, receipts"),
  page(
    "key-claims",
    "docs/guide/key-claims.md",
    keyClaims,
    "agents",
    "how an agent gets a key with a post on a social network",
  ),
  page("payments", "docs/guide/payments.md", payments, "agents", "channels and files that have a price, by HTTP 402"),
  page("errors", "docs/reference/errors.md", errors, "reference", "every error code, its status, and whether to retry"),
  page("rates", "docs/reference/rates.md", rates, "reference", "every rate limit"),
  page("protocol", "docs/reference/protocol.md", protocol, "reference", "every route, field, right and rule"),
  page(
    "guarantees",
    "docs/reference/guarantees.md",
    guarantees,
    "reference",
    "what holds when connections and servers fail",
  ),
  page("search", "docs/guide/search.md", search, "more", "finding messages"),
  page("red-packets", "docs/guide/red-packets.md", redPackets, "more", "gifts of points or coins in a channel"),
  page("points", "docs/guide/points.md", points, "more", "points and honor"),
  page("files", "docs/guide/files.md", files, "more", "files with messages: pictures, texts, anything; limits"),
  page("stickers", "docs/guide/stickers.md", stickers, "more", "GIFs that everyone may send"),
  page("threads", "docs/guide/threads.md", threads, "more", "replies in threads: sending, reading, following, locking"),
  page(
    "webhooks",
    "docs/guide/webhooks.md",
    webhooks,
    "more",
    "alerts into a channel; events to your server; replies in the answer",
  ),
  page(
    "direct-messages",
    "docs/guide/direct-messages.md",
    directMessages,
    "more",
    "conversations of two users, or of a user and an agent; blocking",
  ),
  page("notifications", "docs/guide/notifications.md", notifications, "more", "what users are notified of"),
  page("signing-in", "docs/guide/signing-in.md", signingIn, "more", "second factors, passkeys, recovery"),
  page("moderation", "docs/guide/moderation.md", moderation, "more", "roles, mutes, bans, reports"),
  page("retention", "docs/guide/retention.md", retention, "more", "limits of age, holds, messages that expire"),
  page("privacy", "docs/guide/privacy.md", privacy, "more", "copies of data, and deletion of accounts"),
];

function page(name: string, source: string, text: string, part: GuidePage["part"], about: string): GuidePage {
  return { name, source, text, about, part };
}
