import type { EN_EMOJI } from "../../en/parts/emoji.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the picker of emoji. */
export const ZH_EMOJI: PartialTexts<typeof EN_EMOJI> = {
  search: "搜索表情符号",
  none: "没有找到表情符号。",
  groups: "表情符号分类",
  group: {
    own: "最近和常用",
    0: "笑脸与情感",
    1: "人物与身体",
    3: "动物与自然",
    4: "食物与饮料",
    5: "旅行与地点",
    6: "活动",
    7: "物品",
    8: "符号",
    9: "旗帜",
  },
  tone: "肤色",
  tones: ["默认", "浅色", "中浅色", "中等", "中深色", "深色"],
};
