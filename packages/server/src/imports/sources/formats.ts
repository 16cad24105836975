import type { Format } from "./format.ts";
import { mattermost } from "./mattermost/format.ts";
import { slack } from "./slack/format.ts";

/** The chats whose exports Parley reads. */
export const FORMATS: readonly Format[] = [slack, mattermost];
