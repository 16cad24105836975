import type { EN_WRITING } from "../../en/parts/writing.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of what the composer offers while one writes. */
export const ZH_WRITING: PartialTexts<typeof EN_WRITING> = {
  asFile: "作为文件附上",
  asCode: "改为代码块",
  keep: "保留为文本",
  looksLikeCode: "这看起来是代码。",
  draft: "草稿",
  fileName: "message.txt",
  asMessages: (count) => `分成 ${count} 条消息发送`,
};
