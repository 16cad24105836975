import type { EN_WRITING } from "../../en/parts/writing.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of what the composer offers while one writes. */
export const ZH_WRITING: PartialTexts<typeof EN_WRITING> = {
  asFile: "作为文件附上",
  asCode: "改为代码块",
  keep: "保留为文本",
  looksLikeCode: "这看起来是代码。",
  draft: "草稿",
  fileName: "消息.txt",
  here: (count) => (count === 0 ? "这里没有其他人在线。" : `将通知这里在线的 ${count} 人。`),
  asMessages: (count) => `分成 ${count} 条消息发送`,
  notInChannel: (names) => `${names.join("、")}不在此频道中，看不到这条消息。`,
  notInConversation: (names) => `${names.join("、")}不在此对话中，看不到这条消息。`,
  banned: (names) => `${names.join("、")}已被禁止进入此频道，看不到这条消息。`,
  messageDeleted: "消息已删除。",
  undo: "撤销",
  showAll: "展开全文",
  addToChannel: (name) => `将 ${name} 加入频道`,
  added: (name) => `${name} 已加入频道，可以看到这条消息了。`,
};
