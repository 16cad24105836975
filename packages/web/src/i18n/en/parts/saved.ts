/** English texts of saved messages. */
export const EN_SAVED = {
  title: "Saved messages",
  save: "Save for later",
  unsave: "Remove from saved messages",
  mark: "Saved",
  none: "You have not saved any messages. Save one in its menu, or with the key B.",
  unavailable: "This message is deleted, or you can't read it now.",
  remove: "Remove",
  removeOf: (sender: string) => `Remove the message from ${sender}`,
  removeUnavailable: "Remove the message that can't be read",
};
