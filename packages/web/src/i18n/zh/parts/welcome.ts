import type { EN_WELCOME } from "../../en/parts/welcome.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the first steps. */
export const ZH_WELCOME: PartialTexts<typeof EN_WELCOME> = {
  door: {
    invited: (name) => `${name} 邀请你加入。`,
    invalid: "邀请链接无效。",
    invalidOpen: "你仍然可以直接注册账号。",
    invalidInvite: "请向发送者索取新的链接。",
    inviteOnly: "注册需要已有成员的邀请。",
    closed: "本站不开放注册。",
    lookAround: "先看看",
  },
  owner: {
    title: "此服务器还没有所有者",
    how: "在 Parley 所在目录的终端中运行以下命令，然后用该用户名登录：",
    command: "npm run parley -- owner create <用户名>",
    local: "只有这台机器上的人能看到此提示。",
  },
  reset: {
    title: "设置新密码",
    hint: "设置后，此账号会在所有设备上退出登录。",
    password: "新密码",
    set: "设置密码",
    done: (name) => `${name} 的密码已修改，请用新密码登录。`,
  },
  invite: {
    title: "邀请他人",
    link: "邀请链接",
    onlyHere: "此页面的地址只在本机有效，这个链接也一样。请用别人能访问的地址打开此页面。",
    hint: "任何人都可以凭此链接注册账号。有人通过它注册后，你会获得积分。",
    channel: "注册后前往",
    start: "首页",
  },
  steps: {
    title: "开始使用你的服务器",
    progress: (done, all) => `已完成 ${done}/${all} 项`,
    dismiss: "隐藏此清单",
    done: "已完成",
    open: "未完成",
    people: { title: "邀请他人", hint: "把邀请链接发给朋友。", act: "获取链接" },
    agent: { title: "接入智能体", hint: "创建智能体，并把它的密钥交给你的程序。", act: "新建智能体" },
    channel: { title: "创建频道", hint: "为一个话题或团队单独开辟空间。", act: "新建频道" },
  },
};
