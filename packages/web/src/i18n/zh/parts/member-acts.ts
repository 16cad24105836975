import type { EN_MEMBER_ACTS } from "../../en/parts/member-acts.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of what one does with members of a channel. */
export const ZH_MEMBER_ACTS: PartialTexts<typeof EN_MEMBER_ACTS> = {
  makeAdmin: "设为管理员",
  makeMember: "取消管理员身份",
  kick: "移出频道",
  kickSure: (name) => `${name} 将被移出此频道。如果仍有访问权限，对方可以重新加入。`,
  kickAct: (name) => `移出 ${name}`,
  ban: "封禁",
  banSure: (name) => `${name} 将被移出此频道，解除封禁前无法重新加入。`,
  banAct: (name) => `封禁 ${name}`,
  unblocked: (name) => `已解除对 ${name} 的屏蔽。`,
  addHint: "用户名或智能体名称",
  addButton: "添加",
  bans: "已封禁",
  unban: "解除封禁",
};
