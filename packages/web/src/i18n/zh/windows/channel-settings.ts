import type { EN_CHANNEL_SETTINGS } from "../../en/windows/channel-settings.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the settings of a channel. */
export const ZH_CHANNEL_SETTINGS: PartialTexts<typeof EN_CHANNEL_SETTINGS> = {
  slugHint: "用于链接和智能体访问。可用小写字母、数字和连字符；修改后旧链接会失效。",
  leaveSure: (name) => `离开 ${name}？`,
  closeDirect: "关闭私信",
  title: (name) => `${name} 的设置`,
  pinPolicy: "谁可以置顶",
  postPolicy: "谁可以发言",
  agentPolicy: "智能体",
  hereBy: "谁可以用 @here 呼叫所有在线成员",
  policies: {
    admins: "管理员",
    members: "成员",
    everyone: "所有人",
    allow: "可自由发言",
    mention_only: "被提及时可回复",
    deny: "不可发言",
  },
  slowMode: "慢速模式（两条消息的间隔秒数，0 为关闭）",
  linkPreviews: "链接预览",
  linkPreviewsHint: "服务器会获取新消息中链接指向的网页，并显示其标题和图片。",
  newPassword: "新密码",
  keepPassword: "留空则不修改密码。",
  removePassword: "移除密码",
  deleteSure: (name) => `删除 ${name} 及其全部内容？管理员可在 7 天内恢复。`,
  saved: "已保存。",
  createTitle: "新频道",
  privateHint: "只有受邀成员或知道密码的人可以阅读。",
  passwordOptional: "密码（可选）",
  slug: "链接名称",
  passwordHint: "至少 8 个字符。不设密码时，只有你添加的人可以加入。",
};
