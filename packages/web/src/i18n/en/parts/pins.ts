/** English texts of the list of pins. */
export const EN_PINS = {
  pinnedBy: (name: string) => `Pinned by ${name}`,
  noPins: "No pinned messages yet.",
};
