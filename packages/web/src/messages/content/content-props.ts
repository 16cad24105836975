import type { ChatMessage } from "@parley/protocol/models";

/** The props of the content of a message, also where it is a part of another one. */
export interface ContentProps {
  message: ChatMessage;
  isSource: boolean;
  isGrowing: boolean;
  /** Its text is shown whole from now on. */
  isOpen: boolean;
  isStop: boolean;
  unfolded: Set<number>;
}
