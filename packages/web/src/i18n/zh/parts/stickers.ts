import type { EN_STICKERS } from "../../en/parts/stickers.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the window of stickers. */
export const ZH_STICKERS: PartialTexts<typeof EN_STICKERS> = {
  noStickers: "你还没有贴纸。可上传不超过 512 KiB 的 GIF。",
  upload: "上传 GIF",
  uploading: "上传中…",
  sendSticker: (name) => `发送贴纸 ${name}`,
  removeSticker: (name) => `删除贴纸 ${name}`,
  removeSure: (name) => `你将无法再发送 ${name}，已发送的消息不受影响。`,
  remove: "删除贴纸",
};
