import { alertsText } from "./alerts.ts";
import { discordPayload } from "./discord.ts";
import { type Fields, paragraphs, stringOf, strong } from "./fields.ts";
import { gitlabEvent, repositoryEvent } from "./repositories.ts";
import { sentryEvent } from "./sentry.ts";
import { slackPayload } from "./slack.ts";

/** The headers in which programs name the event that they send. */
const EVENT_HEADERS = ["x-github-event", "x-gitea-event", "x-forgejo-event", "x-gogs-event"];

/**
 * Returns what a program's payload says, as Markdown; empty if it says nothing. The first form that finds words in it is its
 * form: the event of a repository or of Sentry, Slack's, Discord's, alerts, and last the plain fields of others.
 */
export function payloadText(payload: Fields, headers: Pick<Headers, "get">): string {
  const event = EVENT_HEADERS.map((name) => headers.get(name) ?? "").find(Boolean) ?? "";
  return (
    (event === "" ? "" : repositoryEvent(payload, event)) ||
    gitlabEvent(payload) ||
    sentryEvent(payload) ||
    slackPayload(payload) ||
    discordPayload(payload) ||
    alertsText(payload) ||
    plainFields(payload)
  );
}

/** Uptime Kuma sends `msg`; others have a title and a body. */
const plainFields = ({ title, msg, body }: Fields): string =>
  paragraphs([strong(stringOf(title)), stringOf(msg), stringOf(body)]);
