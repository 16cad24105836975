import { type Fields, fieldsOf, lines, listOf, stringOf, strong } from "./fields.ts";

/** Returns the alerts of Alertmanager's own webhook, and of Grafana's with an empty `message`; empty if there are none. */
export function alertsText({ title, status, alerts, externalURL, truncatedAlerts }: Fields): string {
  if (!Array.isArray(alerts) || alerts.length === 0) return "";
  const shown = listOf(alerts).map(alertLine);
  const count = alerts.length + (Number(truncatedAlerts) || 0);
  const left = count - shown.length;
  return lines([
    strong(stringOf(title) || `${stringOf(status).toUpperCase()} (${count})`),
    ...shown,
    left > 0 ? `- and ${left} more` : "",
    stringOf(externalURL),
  ]);
}

function alertLine(alert: Fields): string {
  const [labels, annotations] = [fieldsOf(alert.labels), fieldsOf(alert.annotations)];
  const about = stringOf(annotations.summary) || stringOf(annotations.description) || stringOf(annotations.message);
  const name = stringOf(labels.alertname) || "alert";
  const place = stringOf(labels.instance);
  return `- ${stringOf(alert.status)} ${strong(name)}${place === "" ? "" : ` on ${place}`}${about === "" ? "" : `: ${about}`}`;
}
