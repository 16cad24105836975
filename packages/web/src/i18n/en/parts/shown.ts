/** English texts of display names and statuses. `zh.ts` has the same keys. */
export const EN_SHOWN = {
  title: "Name and status",
  displayName: "Display name",
  displayNameHint: (username: string) =>
    `Your name as people read it, in any script. Mentions and your login still use “${username}”.`,
  status: "Status",
  statusText: "What are you doing?",
  emoji: "Choose an emoji",
  noEmoji: "Remove the emoji",
  ends: "Ends",
  end: {
    never: "Never",
    hour: "In 1 hour",
    hours: "In 4 hours",
    today: "At the end of today",
    week: "At the end of this week",
  },
  keep: (moment: string) => `Stays: ${moment}`,
  until: (moment: string) => `until ${moment}`,
  save: "Save",
  clear: "Clear the status",
  saved: "Your name and status are saved.",
  remove: "Remove the display name and status",
  removeSure: (name: string) =>
    `${name} is then shown by the username, without a status. This is recorded in the audit log.`,
  removed: (name: string) => `The display name and the status of ${name} are removed.`,
};
