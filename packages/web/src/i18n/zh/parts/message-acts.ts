import type { EN_MESSAGE_ACTS } from "../../en/parts/message-acts.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of what is done with a message from its menu. */
export const ZH_MESSAGE_ACTS: PartialTexts<typeof EN_MESSAGE_ACTS> = {
  deleteTitle: "删除这条消息？",
  deleteSure: "删除后，所有人都看不到消息内容，只会看到“此消息已删除”。",
  copyText: "复制文本",
  textCopied: "文本已复制。",
  reportReason: "请填写举报原因",
  reported: "感谢举报，版主会进行审核。",
};
