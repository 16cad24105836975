import type { EN_PINS } from "../../en/parts/pins.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the list of pins. */
export const ZH_PINS: PartialTexts<typeof EN_PINS> = {
  pinnedBy: (name: string) => `由 ${name} 置顶`,
  noPins: "还没有置顶消息。",
};
