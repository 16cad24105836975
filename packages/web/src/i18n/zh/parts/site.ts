import type { EN_SITE } from "../../en/parts/site.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the settings of the site. */
export const ZH_SITE: PartialTexts<typeof EN_SITE> = {
  name: "站点名称",
  registration: "谁可以注册",
  policies: { open: "所有人", invite: "受邀请的人", closed: "任何人都不可以" },
  locked: (variable) => `由服务器的环境变量 ${variable} 决定。`,
  save: "保存",
  saved: "设置已保存。",
  logo: "徽标",
  logoHint: "图片至少 192 × 192 像素。已打开的页面重新加载后才会显示。",
  chooseLogo: "选择徽标",
  removeLogo: "移除徽标",
  notAPicture: "浏览器无法将此文件读取为图片。",
};
