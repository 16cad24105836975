import type { Channel } from "@parley/protocol/models";
import { usePreviewTexts } from "../i18n/hooks/use-preview-texts.ts";
import { useSite } from "../session/use-site.ts";

export interface PreviewProps {
  channel: Channel;
  /** The draft, with the user's choice. */
  field: { previews: boolean; setPreviews(isOn: boolean): void };
}

/** Says that links get previews, where they do, and leaves them out by one press. */
export function PreviewChoice({ channel, field }: PreviewProps) {
  const texts = usePreviewTexts();
  const site = useSite();
  if (site?.link_previews !== true || !channel.link_previews || channel.is_direct) return null;
  return (
    <p className="expiry-line preview-choice">
      <span role="status">{field.previews ? texts.on : texts.off}</span>{" "}
      <button type="button" className="link" onClick={() => field.setPreviews(!field.previews)}>
        {field.previews ? texts.leaveOut : texts.bringBack}
      </button>
    </p>
  );
}
