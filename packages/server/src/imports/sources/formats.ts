import type { Format } from "./format.ts";
import { rocketChat } from "./rocketchat/format.ts";
import { slack } from "./slack/format.ts";
import { zulip } from "./zulip/format.ts";

/** The chats whose exports Parley reads. */
export const FORMATS: readonly Format[] = [slack, zulip, rocketChat];
