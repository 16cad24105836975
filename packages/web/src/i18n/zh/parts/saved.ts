import type { EN_SAVED } from "../../en/parts/saved.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of saved messages. */
export const ZH_SAVED: PartialTexts<typeof EN_SAVED> = {
  title: "收藏的消息",
  save: "收藏",
  unsave: "取消收藏",
  mark: "已收藏",
  none: "你还没有收藏消息。可在消息菜单中收藏，或按 B 键。",
  unavailable: "这条消息已被删除，或你现在无权查看。",
  remove: "移除",
  removeOf: (sender) => `移除来自 ${sender} 的消息`,
  removeUnavailable: "移除无法查看的消息",
};
