/** The lists of conversations that an export of Slack may have. */
export const SLACK_LISTS = ["channels.json", "groups.json", "dms.json", "mpims.json"] as const;
