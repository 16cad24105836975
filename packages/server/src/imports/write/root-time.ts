/** Slack's ids of messages are `<channel>/<seconds>.<microseconds>`. */
const SLACK = /\/(\d{1,11})\.(\d{6})$/;

/** Returns the time of a message that is known by its id only, in epoch milliseconds; null if the id does not say it. */
export function rootTime(sourceId: string): number | null {
  const [, seconds, micros] = SLACK.exec(sourceId) ?? [];
  return seconds === undefined || micros === undefined
    ? null
    : Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
