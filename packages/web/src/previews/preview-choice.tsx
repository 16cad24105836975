import type { Channel } from "@parley/protocol/models";
import { useEffect } from "react";
import { usePreviewTexts } from "../i18n/hooks/use-preview-texts.ts";
import { useSite } from "../session/use-site.ts";

export interface PreviewProps {
  channel: Channel;
  /** The message's links get previews. */
  isOn: boolean;
  onChange(isOn: boolean): void;
}

/** Says that links get previews, where they do, and leaves them out by one press. */
export function PreviewChoice({ channel, isOn, onChange }: PreviewProps) {
  const texts = usePreviewTexts();
  const site = useSite();
  // The next message has its own choice: this line goes when the field is empty.
  useEffect(() => () => onChange(true), [onChange]);
  if (site?.link_previews !== true || !channel.link_previews || channel.is_direct) return null;
  return (
    <p className="expiry-line preview-choice">
      <span role="status">{isOn ? texts.on : texts.off}</span>{" "}
      <button type="button" className="link" onClick={() => onChange(!isOn)}>
        {isOn ? texts.leaveOut : texts.bringBack}
      </button>
    </p>
  );
}
