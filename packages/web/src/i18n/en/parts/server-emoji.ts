/** English texts of the server's own emoji. */
export const EN_SERVER_EMOJI = {
  title: "Emoji of this server",
  none: "This server has no emoji of its own yet.",
  manage: "Add or delete emoji",
  onlyAdministrators: "On this server only administrators add emoji.",
  picture: "Picture",
  pictureHint:
    "PNG, JPEG, WebP or GIF. A GIF has at most 256 KB and 256 × 256 pixels; other pictures are made smaller.",
  name: "Name",
  nameHint: "People write it between colons. 2 to 32 of the characters a-z, 0-9, _ and -.",
  preview: "The picture as it will look",
  add: "Add the emoji",
  added: (text: string) => `${text} is added. Everybody can use it now.`,
  delete: "Delete",
  deleteNamed: (text: string) => `Delete ${text}`,
  deleteQuestion: (text: string) => `Messages and reactions with ${text} will show its name instead.`,
};
