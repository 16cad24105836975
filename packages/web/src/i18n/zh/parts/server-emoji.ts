import type { EN_SERVER_EMOJI } from "../../en/parts/server-emoji.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the server's own emoji. */
export const ZH_SERVER_EMOJI: PartialTexts<typeof EN_SERVER_EMOJI> = {
  title: "本服务器的表情",
  none: "本服务器还没有自己的表情。",
  manage: "添加或删除表情",
  onlyAdministrators: "本服务器只有管理员可以添加表情。",
  picture: "图片",
  pictureHint: "PNG、JPEG、WebP 或 GIF。GIF 不超过 256 KB 和 256 × 256 像素；其他图片会被缩小。",
  name: "名称",
  nameHint: "写在两个冒号之间。2 到 32 个字符，可以是 a-z、0-9、_ 和 -。",
  preview: "图片显示的样子",
  add: "添加表情",
  added: (text) => `已添加 ${text}，所有人都可以使用。`,
  delete: "删除",
  deleteNamed: (text) => `删除 ${text}`,
  deleteQuestion: (text) => `带有 ${text} 的消息和回应将显示它的名称。`,
};
