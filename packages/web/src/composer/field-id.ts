/** Returns the id of a conversation's text field. `rootId`: of a thread; null: the conversation is the channel. */
export const fieldIdOf = (rootId: number | null): string => (rootId === null ? "text" : "thread-text");
