/** Names of the wire's fields that users fill in, as the page labels them. */
const FIELDS: Readonly<Record<string, string | undefined>> = {
  username: "The username",
  password: "The password",
  email: "The email address",
  name: "The name",
  topic: "The topic",
  description: "The description",
  content: "The message",
  reason: "The reason",
  note: "The note",
  sticker_name: "The sticker's file name",
  greeting: "The greeting",
  slow_mode_seconds: "The time of slow mode",
  retention_days: "The number of days",
  expires_in: "The time to live",
  expires_at: "The end",
  until: "The end",
  muted_until: "The end",
  suspended_until: "The end",
  period_zone: "The time zone",
  url: "The address",
  json: "The JSON",
  slug: "The link name",
  channel_slug: "The link name",
  amount: "The amount",
  total_amount: "The amount",
  count: "The number",
};

/** Words of programs: names of fields, patterns, and text in backquotes. */
const OF_CODE = /[`_{}[\]^$\\]|pattern|schema/;

/** Says what is wrong with a field of a request, without words of the code. */
export function complaint(path: string, message: string): string {
  const field = FIELDS[path];
  if (field === undefined) return "Something in it isn't valid";
  return OF_CODE.test(message) ? `${field} isn't valid` : `${field} ${message}`;
}
