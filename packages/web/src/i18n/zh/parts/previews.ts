import type { EN_PREVIEWS } from "../../en/parts/previews.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of previews of links. */
export const ZH_PREVIEWS: PartialTexts<typeof EN_PREVIEWS> = {
  on: "这条消息中的链接会显示预览。",
  off: "这条消息中的链接不显示预览。",
  leaveOut: "不显示预览",
  bringBack: "显示预览",
  remove: (host) => `为所有人移除 ${host} 的预览`,
};
