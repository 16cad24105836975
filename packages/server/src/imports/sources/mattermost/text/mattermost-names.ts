/** The things of an export that its texts name. */
export interface MattermostNames {
  isPerson(username: string): boolean;
  /** Returns the id of a channel that a text in this team names; undefined if there is none. `team`: null in conversations. */
  channel(name: string, team: string | null): string | undefined;
  /** True if the workspace has an emoji of its own with this name. */
  hasEmoji(name: string): boolean;
}
