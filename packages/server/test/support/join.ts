import type { ChannelRef } from "../../src/channels/channel.ts";
import { enterChannel, type Joined, joinChannel } from "../../src/channels/members/join.service.ts";
import type { AppContext } from "../../src/context.ts";
import type { Identity } from "../../src/http/identity.ts";
import { payOnSocket } from "../../src/payments/pay/transports.ts";

/** Joins a channel without a payment. */
export const joinUnpaid = (
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  password: string | null = null,
): Promise<Joined> => joinChannel(ctx, caller, ref, password, payOnSocket(ctx, caller, null));

/** Subscribes to a channel without a payment. */
export const enterUnpaid = (
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  password: string | null = null,
): Promise<Joined> => enterChannel(ctx, caller, ref, password, payOnSocket(ctx, caller, null));
