import { type Fields, fieldsOf, lines, link, stringOf, strong } from "./fields.ts";

/** Returns an event of Sentry, of its integrations or of the older plugin; empty if the payload is none. */
export function sentryEvent(payload: Fields): string {
  const data = fieldsOf(payload.data);
  const subject = fieldsOf(data.event ?? data.issue ?? data.error ?? data.metric_alert ?? data.comment);
  if (payload.data !== undefined && (Object.keys(subject).length > 0 || stringOf(data.description_title) !== ""))
    return integrationEvent(payload, data, subject);
  const isPlugin = typeof payload.project_name === "string" && typeof payload.url === "string" && "event" in payload;
  return isPlugin ? pluginEvent(payload) : "";
}

function integrationEvent({ action }: Fields, data: Fields, subject: Fields): string {
  const title = stringOf(data.description_title) || stringOf(subject.title) || stringOf(data.issue_title);
  const address = data.web_url ?? subject.web_url ?? subject.permalink ?? subject.issue_url ?? subject.url;
  const project = fieldsOf(subject.project);
  return lines([
    [strong("Sentry"), stringOf(action), stringOf(data.triggered_rule)].filter(Boolean).join(" · "),
    link(title, address),
    stringOf(data.description_text) || stringOf(subject.message) || stringOf(data.comment),
    stringOf(subject.culprit),
    [stringOf(subject.level), stringOf(project.slug) || stringOf(subject.shortId) || stringOf(data.project_slug)]
      .filter(Boolean)
      .join(" · "),
  ]);
}

function pluginEvent({ project_name, message, culprit, level, url, event }: Fields): string {
  const title = stringOf(fieldsOf(event).title) || stringOf(message);
  return lines([
    [strong("Sentry"), stringOf(project_name), stringOf(level)].filter(Boolean).join(" · "),
    link(title, url),
    stringOf(message) === title ? "" : stringOf(message),
    stringOf(culprit),
  ]);
}
