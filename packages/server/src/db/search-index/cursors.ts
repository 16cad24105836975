/**
 * The purpose of the cursors of indexing (`channel_cursors`). It ends with the version of the words: with a new one, all
 * messages are indexed again, in the background.
 */
export const SEARCH_CURSORS = "search-2";

/** The purpose in the release before, whose nodes may still index. */
export const FORMER_SEARCH_CURSORS = "search";
