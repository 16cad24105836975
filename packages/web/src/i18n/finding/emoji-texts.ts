import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";

const EN = {
  search: "Search emoji",
  none: "No emoji found.",
  groups: "Groups of emoji",
  group: {
    own: "Recent and common",
    0: "Smileys and emotions",
    1: "People and body",
    3: "Animals and nature",
    4: "Food and drink",
    5: "Travel and places",
    6: "Activities",
    7: "Objects",
    8: "Symbols",
    9: "Flags",
  },
  tone: "Skin tone",
  tones: ["Default", "Light", "Medium-light", "Medium", "Medium-dark", "Dark"],
};

const ZH: Translation<typeof EN> = {
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

const TEXTS: Record<Language, Translation<typeof EN>> = { en: EN, zh: ZH };

/** Returns the picker's texts in the user's language. They load with its code. */
export const useEmojiTexts = (): Translation<typeof EN> => TEXTS[useContext(LanguageContext)];
