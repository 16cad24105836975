import type { EN_TELEGRAM } from "../../en/windows/telegram.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts about bots that were made for Telegram. */
export const ZH_TELEGRAM: PartialTexts<typeof EN_TELEGRAM> = {
  title: "用于 Telegram 机器人",
  hint: "机器人的代码不变，只需使用此令牌，并用这些地址代替 https://api.telegram.org。",
  token: "令牌",
  tokenOf: (name) => `${name} 的令牌`,
  yourKey: "<你的密钥>",
  tokenHint: "请把 <你的密钥> 换成智能体的密钥。密钥只在创建时显示一次。",
  root: "根地址",
  noName: "智能体还没有名称。它在首次登录或发消息时获得名称。",
  off: "此服务器不接受 Telegram 机器人。",
  policies: {
    owner: "只有所有者可以直接给它发消息，因此其他人的 /start 无法送达。",
    nobody: "没有人可以直接给它发消息，因此 /start 无法送达。",
  },
  letAnybody: "允许任何人给它发消息",
  anybodyMay: "任何人都可以直接给它发消息。",
  afterCode: "如果此服务器接受 Telegram 机器人，响应中会有令牌和根地址：telegram.token 和 telegram.api_root。",
};
