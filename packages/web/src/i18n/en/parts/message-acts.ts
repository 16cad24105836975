/** English texts of what is done with a message from its menu. */
export const EN_MESSAGE_ACTS = {
  deleteTitle: "Delete this message?",
  deleteSure: 'This removes the text for everyone. A "message deleted" note stays in its place.',
  copyText: "Copy text",
  textCopied: "Text copied.",
  reportReason: "Why are you reporting this?",
  reported: "Thanks. A moderator will review it.",
};
