/** Chinese texts of the errors of mail. */
export const ZH_MAIL_ERRORS = {
  mail_off: "本服务器不发送邮件，请联系管理员。",
  no_address: "你的账号没有邮箱，请先填写。",
  address_confirmed: "你已经确认过这个邮箱。",
  confirm_link_expired: "此链接已失效：可能已过期、已使用或被新链接取代。请在个人资料中重新获取。",
  address_in_use: "另一个账号已确认此邮箱。请登录那个账号将其移除，或在这里填写其他邮箱。",
  reset_link_expired: "此链接已失效：可能已过期、已使用或被新链接取代。请向管理员索取新链接。",
  claim_link_expired: "此链接已失效：可能已过期、已使用或被新链接取代。请向管理员索取新链接。",
  unsubscribe_unknown: "此链接不属于任何账号：可能不完整，或账号已被删除。",
};
