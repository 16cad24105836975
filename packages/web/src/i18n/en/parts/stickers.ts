/** English texts of the window of stickers. */
export const EN_STICKERS = {
  noStickers: "You don't have any stickers yet. Upload a GIF of up to 512 KiB.",
  upload: "Upload a GIF",
  uploading: "Uploading…",
  sendSticker: (name: string) => `Send the sticker ${name}`,
  removeSticker: (name: string) => `Delete the sticker ${name}`,
  removeSure: (name: string) =>
    `You won't be able to send ${name} anymore. Messages that already show it won't change.`,
  remove: "Delete sticker",
};
