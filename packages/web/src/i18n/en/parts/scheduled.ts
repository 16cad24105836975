import { plural } from "../../locale.ts";

/** English texts of messages that are sent later. */
export const EN_SCHEDULED = {
  later: "Send later",
  inMinutes: (minutes: number) => `In ${plural(minutes, "minute", "minutes")}`,
  inHours: (hours: number) => `In ${plural(hours, "hour", "hours")}`,
  tomorrow: (time: string) => `Tomorrow, ${time}`,
  monday: (time: string) => `Monday, ${time}`,
  at: "At another time",
  schedule: "Schedule",
  writeFirst: "Write a message first. Then choose when it is sent.",
  saved: (time: string) => `It will be sent: ${time}.`,
  title: "Scheduled messages",
  none: "No message waits to be sent.",
  in: (channel: string) => `in ${channel}`,
  goneChannel: "a channel that is gone",
  message: "Message",
  change: "Change",
  cancel: "Cancel it",
  save: "Save",
  keep: "Leave it as it is",
  failed: "Not sent",
  failedTitle: "Could not be sent",
  missed: "The server could not send it within an hour of its time.",
  files: (count: number) => plural(count, "file", "files"),
};
