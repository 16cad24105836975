import * as limits from "@parley/protocol/limits";
import { LOGO_BYTES, LOGO_SIDE } from "@parley/protocol/site";
import { channelNames, durationOf, errorDetail, fieldErrors, formatDetailTime, formatLimit } from "../error-message.ts";
import { grouped } from "../locale.ts";
import type { LanguageErrors } from "../texts.ts";

const RELOAD = "页面版本已过期，请刷新页面。";
const UNREACHABLE = "无法连接服务器，请检查网络。";
const UNITS = { second: "秒", minute: "分钟", hour: "小时" } as const;

/** Names of the wire's fields that users fill in, as the page labels them. */
const FIELDS: Readonly<Record<string, string | undefined>> = {
  username: "用户名",
  password: "密码",
  email: "邮箱",
  name: "名称",
  topic: "主题",
  description: "简介",
  content: "内容",
  reason: "原因",
  note: "备注",
  sticker_name: "贴纸文件名",
  greeting: "祝福语",
  slow_mode_seconds: "慢速模式",
  expires_in: "有效期",
  json: "JSON",
  slug: "链接名称",
  channel_slug: "链接名称",
  retention_days: "天数",
  expires_at: "结束时间",
  until: "结束时间",
  muted_until: "结束时间",
  suspended_until: "结束时间",
  period_zone: "时区",
  url: "网址",
  amount: "金额",
  total_amount: "金额",
  count: "数量",
};

/** Chinese error texts, for the codes that users of the page can meet. */
export const ZH_ERRORS: LanguageErrors = {
  wait(text, seconds) {
    const { count, unit } = durationOf(seconds);
    return `${text}请在 ${count} ${UNITS[unit]}后重试。`;
  },
  broken: (error) => `页面出错了：${error}`,
  codes: {
    network_error: UNREACHABLE,
    timeout: UNREACHABLE,
    invalid_answer: ({ status }) => `收到的响应并非来自服务器${status === 0 ? "" : `（状态码 ${status}）`}，请重试。`,
    connection_lost: "连接中断。",
    connection_closed: "连接已关闭。",
    session_over: "会话已结束，请重新登录。",
    access_ended: "你已无法访问此频道。",

    invalid_json: `JSON 无效，或嵌套超过 ${limits.JSON_DEPTH} 层。`,
    invalid_request(error) {
      const fields = fieldErrors(error).flatMap(({ path }) => FIELDS[path] ?? []);
      return fields.length === 0 ? "服务器不接受此内容。" : `以下内容填写有误：${[...new Set(fields)].join("、")}。`;
    },
    invalid_id: "此内容不存在。",
    invalid_cursor: "列表中的这个位置已不存在，请刷新页面。",
    no_fields: "没有任何更改。",
    idempotency_conflict: "之前已发送过不同的内容，请修改后重新发送。",
    session_required: "请先登录。",
    forbidden: "你没有权限执行此操作。",
    cross_site: "服务器不接受来自当前网址的请求，请通过服务器自己的网址打开此页面。",
    not_found: RELOAD,
    method_not_allowed: RELOAD,
    unsupported_media_type: RELOAD,
    unknown_command: RELOAD,
    body_too_large: (error) => `内容太大，上限为 ${formatLimit(error, limits.BODY_BYTES)}。`,
    rate_limited: "操作过于频繁。",
    too_many_sockets: "打开的页面太多，请先关闭一个。",
    too_many_channels: "同时打开的频道太多，请先离开一个。",
    internal_error: "服务器出错了。",
    overloaded: "服务器繁忙。",
    storage_full: "服务器存储空间已满，无法保存内容。",
    storage_unavailable: "服务器的数据库没有响应。",
    draining: "服务器正在重启。",
    not_ready: "服务器尚未就绪。",

    invalid_username: `用户名须为 ${limits.USERNAME_MIN} 至 ${limits.USERNAME_MAX} 个字母、数字或 _.-，并以字母或数字开头；保留名称及与其相似的名称不可用。`,
    weak_password(error) {
      const [min, max] = [errorDetail(error, "min_length"), errorDetail(error, "max_length")];
      if (typeof min === "number" && typeof max === "number") return `密码须为 ${min} 至 ${max} 个字符。`;
      if (errorDetail(error, "reason") === "common") return "这个密码太常见，容易被猜到，请换一个。";
      return "密码过短、过长或过于常见，请换一个。";
    },
    invalid_email: "请输入有效的邮箱地址。",
    invalid_invite_code: "邀请码无效，请检查或重新索取。",
    invitation_not_found: "此邀请不存在。",
    invitation_limit_reached: "你已有 20 个仍然有效的邀请，请先撤销一个。",
    invitation_expired: "此邀请已过期，请重新索取。",
    invitation_used_up: "此邀请的名额已用完，请重新索取。",
    invitation_revoked: "此邀请已被撤销，请重新索取。",
    invite_code_required: "在这里注册需要邀请码，请向已有成员索取。",
    password_login_off: "本站不能用密码登录，请使用上方的按钮。",
    oidc_disabled: "本站没有启用单点登录。",
    oidc_denied: "登录未完成：你取消了登录，或者你无权使用本站。",
    oidc_failed: "登录失败，请重试。如果仍然失败，请告诉管理员。",
    domain_not_allowed: "你的邮箱地址不能在本站登录，或者尚未验证。",
    signup_closed: "你在本站还没有账号，请联系管理员开通。",
    identity_taken: "此登录方式已关联到其他账号。",
    identity_not_found: "此登录方式已被移除。",
    last_login_method: "这是你唯一的登录方式。请先添加其他方式，再移除它。",
    invalid_logout_token: RELOAD,
    registration_closed: "本站不开放注册，请联系管理员开通账号。",
    blocked: "对方不接受你的消息或邀请。",
    user_blocked: "你已屏蔽对方，请先解除屏蔽。",
    direct_not_allowed: "这个智能体不接受你的私信，请在频道中提及它。",
    block_limit_reached: "你屏蔽的人数已达上限，请先解除一些屏蔽。",
    username_taken: "用户名已被占用，或与已有名称过于相似，请换一个。",
    agent_name_required: "请填写智能体的名称。",
    invalid_agent_name: `智能体的名称须为 1 至 ${limits.AGENT_NAME_MAX} 个同一种文字的字母、数字、空格或 _.-，并以字母或数字开头和结尾；保留名称及与其相似的名称不可用。`,
    agent_name_taken: "此名称已被占用，或与已有名称过于相似，请换一个。",
    invalid_credentials: "用户名或密码错误。",
    account_suspended: "此账号已被停用。",
    user_not_found: "用户不存在。",
    username_required: "请输入用户名。",
    reset_link_expired: "此链接已失效：可能已过期、已使用或被新链接取代。请向管理员索取新链接。",
    session_not_found: "此会话已经结束。",
    second_factor_required: "请输入第二重验证的验证码。",
    second_factor_setup_required: "本站要求第二重验证，请先完成设置。",
    wrong_code: "验证码错误或已被使用，请等待新的验证码后重试。",
    totp_enabled: "你已设置验证器应用，请先移除。",
    totp_not_enabled: "你尚未设置验证器应用。",
    totp_setup_expired: "已过期，请重新开始。",
    passkey_not_found: "此通行密钥已不存在。",
    passkey_rejected: "此通行密钥未在本站登记，或未能通过验证。",
    passkey_exists: "此通行密钥已在列表中。",
    passkey_limit_reached: "通行密钥数量已达上限，请先移除一个。",
    passkeys_unavailable: "当前网址无法使用通行密钥。",
    invalid_signature: "签名格式不正确，请从钱包重新复制。",
    challenge_not_found: "服务器已没有这段文字的记录，请重新开始。",
    challenge_used: "这段文字已签署过，请重新开始。",
    challenge_expired: "已过期，请重新开始。",
    wrong_signature: "签名来自其他钱包，或签署的不是这段文字。",
    avatar_not_found: "此用户没有头像。",
    reauth_required: (error) =>
      errorDetail(error, "wrong") === true ? "当前密码不正确。" : "请输入当前密码以确认此更改。",
    invalid_evm_address: "请输入有效的 EVM 地址。",
    invalid_sol_address: "请输入有效的 Solana 地址。",
    invalid_display_name: "不能使用这个名称。请使用 1 到 48 个同一种文字的字母和空格，且不要与他人的用户名相似。",
    invalid_status: "状态须为一行短文字，且在一年内结束。",
    invalid_avatar: `头像须为不超过 ${limits.AVATAR_SIDE} × ${limits.AVATAR_SIDE} 像素的 PNG、JPEG、GIF 或 WebP 图片；GIF 不超过 ${limits.GIF_FRAMES} 帧。`,
    avatar_too_large: (error) => `头像太大，上限为 ${formatLimit(error, limits.AVATAR_BYTES)}。`,
    insufficient_balance: "积分不足。",
    points_on_hold(error) {
      const available = errorDetail(error, "available");
      const rest = "新账号的初始积分在注册 24 小时后才能使用。";
      return typeof available === "string" ? `你现在可以使用 ${grouped(BigInt(available))} 积分。${rest}` : rest;
    },
    owns_channels(error) {
      const names = channelNames(error).map((name) => `#${name}`);
      return `此账号还拥有频道，请先转让或删除${names.length === 0 ? "它们" : `：${names.join("、")}`}。`;
    },
    last_owner: "这是站点唯一的所有者，请先指定另一位。",
    user_suspended: "此用户的账号已被停用。",
    agent_not_found: "智能体不存在。",
    key_not_found: "密钥不存在。",
    agent_paused: "此智能体已暂停。请先恢复它。",
    setup_code_not_found: "此设置码不存在。请向智能体的所有者索取新的设置码。",
    setup_code_limit_reached: "此智能体已有 5 个仍然有效的设置码。请使用其中一个，或等待 10 分钟。",
    setup_code_used: "此设置码已被使用。请向智能体的所有者索取新的设置码。",
    setup_code_expired: "此设置码已过期。请向智能体的所有者索取新的设置码。",
    agent_limit_reached: "你的智能体数量已达上限。请改为给其中一个智能体创建设置码。",

    invalid_logo: `徽标须为不超过 ${LOGO_SIDE} × ${LOGO_SIDE} 像素的 PNG、JPEG 或 WebP 图片。`,
    logo_too_large: (error) => `徽标太大，上限为 ${formatLimit(error, LOGO_BYTES)}。`,
    setting_locked: (error) => `此设置由服务器的环境变量（${errorDetail(error, "variable") ?? "未知"}）决定。`,
    site_changed: "其他人刚刚修改了这些设置。请重新打开此页面查看。",

    channel_not_found: "频道不存在，或你没有访问权限。",
    invalid_channel_name: `频道名称须为 1 至 ${limits.CHANNEL_NAME_MAX} 个可见字符，且只用一种文字。`,
    slug_taken: "此链接名称已被占用，请换一个。",
    password_requires_private: "只有私有频道可以设置密码。",
    channel_limit_reached: `你最多可拥有 ${grouped(limits.CHANNELS_PER_USER)} 个频道。`,
    open_red_packets: "还有未结束或正在支付的红包，请等待其结束。",
    password_required: "此频道设有密码，输入密码才能加入。",
    wrong_password: "频道密码错误。",
    banned(error) {
      const until = formatDetailTime(error, "until", "zh");
      return until === null ? "你已被此频道封禁。" : `你已被此频道封禁至 ${until}。`;
    },
    member_not_found: "成员不存在。",
    member_banned: "对方已被封禁，请先解除封禁。",
    ban_not_found: "对方没有被封禁。",
    channel_not_deleted: "此频道未被删除。",
    restore_expired: `此频道删除已超过 ${limits.RESTORE_DAYS} 天，无法恢复。`,
    owner_cannot_leave: "所有者不能离开，请先转让或删除频道。",
    not_a_member: "请先加入频道。",
    muted(error) {
      const until = formatDetailTime(error, "muted_until", "zh");
      return until === null ? "你在此频道被禁言。" : `你在此频道被禁言至 ${until}。`;
    },
    post_policy: "只有频道管理员可以在此发言；私信中只有双方可以发言。",
    slow_mode: "此频道开启了慢速模式。",
    agents_not_allowed: "此频道不允许智能体执行此操作。",
    budget_exhausted: "此智能体今天的一项预算已用完。",

    message_not_found: "消息不存在。",
    message_deleted: "此消息已删除。",
    not_a_thread_root: "此消息本身就是讨论串中的回复。",
    thread_locked: "此讨论串已锁定，只有频道管理员可以回复。",
    stream_not_found: "此消息已不再生成。",
    content_required: "请先输入消息内容。",
    message_too_long: `消息最多 ${grouped(limits.CONTENT_MAX)} 个字符。`,
    pin_limit_reached: `此频道的置顶消息已达上限（${limits.PINS_PER_CHANNEL} 条），请先取消一条。`,
    invalid_reaction: "回应须为一个表情，或由 a-z 0-9 _ + - 组成的短名称。",
    reaction_limit_reached: `这条消息的回应已达上限（${limits.REACTIONS_PER_MESSAGE} 种），请使用已有的回应。`,
    report_not_found: "举报不存在。",
    report_closed: "此举报已被处理。",
    query_required: "请输入要搜索的内容。",
    invalid_query: `请输入 1 至 ${limits.SEARCH_QUERY_MAX} 个字符，至少含一个字母、数字或表情，最多 20 个词；前缀搜索（如 conf*）须至少 3 个字符。`,
    sticker_not_found: "贴纸不存在。",
    file_too_large: (error) => `文件太大，上限为 ${formatLimit(error, limits.STICKER_BYTES)}。`,
    upload_too_slow: "网络太慢，文件没有上传完成。请换个网络再试。",
    file_not_found: "文件已不存在。",
    empty_file: "这是一个空文件。",
    type_not_allowed: "服务器不接受这种类型的文件。",
    image_limits: "图片的像素或帧数太多。",
    file_blocked: "病毒扫描程序拦截了这个文件。",
    quota_reached: "你的文件已占满可用空间，请先删除一些带文件的消息。",
    file_already_sent: "这个文件已经发送过，请重新添加。",
    file_not_ready: "文件仍在扫描，请稍后再试。",
    not_a_gif: "这不是有效的 GIF 文件。",
    gif_limits: `贴纸最大 ${limits.STICKER_SIDE} × ${limits.STICKER_SIDE} 像素、${limits.GIF_FRAMES} 帧，所有帧合计不超过 1600 万像素。`,
    sticker_limit_reached: `你的贴纸已达上限（${limits.STICKERS_PER_USER} 个），请先删除一个。`,

    invalid_amount: "金额太小或不是数字，请重新输入。",
    invalid_count: `红包须为 1 至 ${limits.PACKET_COUNT_MAX} 份。`,
    invalid_tx_hash: "这不是该链上的交易哈希。",
    unsupported_chain: "此服务器不支持该链上这种货币的红包。",
    share_too_small: "每份金额太小，不足以支付链上费用。",
    not_eligible: (error) =>
      errorDetail(error, "reason") === "banned"
        ? "你已被此频道封禁，不能领取这个红包。"
        : "只有频道成员可以领取这个红包。",
    packet_not_found: "红包不存在。",
    packet_empty: "红包已被领完。",
    packet_not_active: "红包当前的状态不支持此操作。",
    packet_claimed: "已有人领取过这个红包。",
    packet_expired: "红包已过期。",
    tx_already_used: "这笔交易已经用于支付其他内容。",
    funding_mismatch: "这笔交易不能作为红包的资金。",
    wallet_address_required: (error) =>
      errorDetail(error, "reason") === "no_token_account"
        ? `你的钱包还没有 ${errorDetail(error, "currency")} 的账户。请先在钱包中创建，再领取红包。`
        : "请先在个人资料中验证该链上的钱包地址。",
    payouts_unavailable: "暂时无法在该链上发放红包。",
    payout_not_found: "没有这笔付款。",
    payout_not_failed: "只有失败的付款可以重试。",

    invalid_price: "此服务器不接受该链上的这种货币。",
    invalid_payment_signature: "这不是有效的付款证明。",
    payment_required: "此内容需要付款。",
    tx_not_found: "获取价格后，链上没有出现这笔交易。",
    tx_failed: "这笔交易在链上失败了，没有转出任何款项。",
    wrong_recipient: "这笔交易没有向该地址付款。",
    wrong_currency: "这笔交易支付的是其他币种。",
    amount_too_low: "这笔交易的金额低于价格。",
    payment_pending: "交易尚未最终确认，请稍后再提交同一笔交易，不要重复付款。",
    payment_already_used: "这笔交易已经用于其他付款，或属于别人。",
    resource_not_found: "没有此名称的出售内容。",
    resource_exists: "已有同名的出售内容，请先下架。",
    invalid_resource: "出售的内容须为一段文本、JSON 或非空文件。",
    payments_not_configured: "此服务器目前不接受该链上的付款。",
    chain_unavailable: "链暂时没有可靠的响应。",

    invalid_url: "服务器无法使用该地址。",
    push_disabled: "此服务器不发送推送消息。",
    subscription_not_found: "此浏览器已不再接收推送消息。",

    invalid_send_at: "请选择 10 秒之后、一年之内的时间。",
    preview_not_found: "这个预览已不存在。",
    scheduled_not_found: "这条定时消息已不存在。",
    scheduled_over: "这条消息已发送、已失败或已取消，不能再修改。",
    scheduled_limit_reached: "你有 100 条消息等待发送，请先取消一条。",
    saved_limit_reached: "你已收藏 1,000 条消息，请先移除一条。",
    cannot_forward: "此类消息不能转发，只能转发文字和文件。",
    forward_not_editable: "转发的消息不能修改。请删除后重新转发。",

    invalid_poll: "投票需要一个问题和 2 到 10 个不同的选项，每项各占一行。",
    unknown_option: "此投票没有这个选项。",
    one_option_only: "只能选择一个选项。",
    poll_not_found: "此投票已不存在。",
    poll_closed: "此投票已结束。",

    invalid_remind_at: "请选择 10 秒之后、一年之内的时间。",
    reminder_not_found: "这条提醒已不存在。",
    reminder_over: "这条提醒已结束，请新建一条。",
    reminder_limit_reached: "你有 100 条提醒在等待，请先删除一条。",
    here_not_allowed: "只有频道管理员可以用 @here 呼叫所有人。",
    here_rate_limited: "用 @here 呼叫所有人的消息过多。请稍等，或去掉 @here 再发送。",

    webhook_not_found: "此 Webhook 已不存在。",
    webhook_limit_reached: "此处的 Webhook 数量已达上限，请先删除一个。",
    webhook_disabled: "此 Webhook 已停用，请先启用。",
    unknown_event: "其中有 Webhook 不支持的事件。",
    delivery_not_found: "此投递记录已不再保留。",
    invalid_webhook_name: "Webhook 名称须为 1 至 50 个可见字符，且不得与用户或智能体的名称相似。",
  },
};
