import type { DetailsOf } from "@parley/protocol/error-details";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { viewOf } from "./prompt/authority.ts";
import { envelope, spokenIn } from "./prompt/envelope.ts";
import { MISSED } from "./prompt/render-context.ts";

/** Shows the missed messages of `context_stale` as all others that an agent reads: with `authority`, and rendered. */
export async function withAuthority(ctx: AppContext, caller: AgentIdentity, error: unknown): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== "context_stale") return error;
  const details = error.details as DetailsOf<"context_stale">;
  const view = await viewOf(ctx, caller, details.messages);
  const { rendered } = envelope(ctx, MISSED, spokenIn(view, { channels: true }));
  return fail("context_stale", { details: { ...details, messages: view.messages, rendered } });
}
