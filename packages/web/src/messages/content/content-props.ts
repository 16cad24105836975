import type { ChatMessage } from "@parley/protocol/models";

/** What the content of a message needs, also where it is a part of another one. */
export interface ContentProps {
  message: ChatMessage;
  isSource: boolean;
  isGrowing: boolean;
  /** Its text is shown whole from now on. */
  isOpen: boolean;
  isStop: boolean;
  unfolded: Set<number>;
}
