/** English texts of the settings of a channel. */
export const EN_CHANNEL_SETTINGS = {
  slugHint: "Used in links and by agents. Lowercase letters, digits and hyphens. Changing it breaks old links.",
  leaveSure: (name: string) => `Leave ${name}?`,
  closeDirect: "Close conversation",
  title: (name: string) => `Settings for ${name}`,
  pinPolicy: "Who can pin",
  postPolicy: "Who can post",
  agentPolicy: "Agents",
  policies: {
    admins: "Admins",
    members: "Members",
    everyone: "Everyone",
    allow: "Can post freely",
    mention_only: "Can reply when mentioned",
    deny: "Can't post",
  },
  slowMode: "Slow mode (seconds between messages; 0 = off)",
  linkPreviews: "Previews of links",
  linkPreviewsHint:
    "The server fetches the pages to which links in new messages lead, and shows their titles and pictures.",
  newPassword: "New password",
  keepPassword: "Leave blank to keep the current password.",
  removePassword: "Remove password",
  deleteSure: (name: string) => `Delete ${name} and everything in it? Administrators can restore it within 7 days.`,
  saved: "Saved.",
};
