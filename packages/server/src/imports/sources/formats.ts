import { discord } from "./discord/format.ts";
import type { Format } from "./format.ts";
import { mattermost } from "./mattermost/format.ts";
import { rocketChat } from "./rocketchat/format.ts";
import { slack } from "./slack/format.ts";
import { telegram } from "./telegram/format.ts";
import { zulip } from "./zulip/format.ts";

/** The chats whose exports Parley reads. */
export const FORMATS: readonly Format[] = [slack, mattermost, discord, zulip, telegram, rocketChat];
