/** Chinese texts of the errors of emoji. */
export const ZH_EMOJI_ERRORS = {
  invalid_emoji_name: "名称由 2 到 32 个字符组成，可以是 a-z、0-9、_ 和 -，并以字母或数字开头。",
  invalid_emoji_picture: "请选择不超过 2048 像素的 PNG、JPEG 或 WebP，或不超过 256 KB 和 256 像素的 GIF。",
  emoji_not_allowed: "你不能在这里添加表情。",
  emoji_not_found: "这个表情已不存在。",
  emoji_exists: "已经有同名或看起来一样的表情。",
  emoji_limit_reached: "表情数量已满。请先删除一个。",
};
