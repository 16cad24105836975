import type { ChatMessage } from "@parley/protocol/models";
import type { LinkPreview } from "@parley/protocol/previews";
import { Previews } from "@parley/sdk/groups";
import { usePreviewTexts } from "../i18n/hooks/use-preview-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useModerates } from "../session/use-moderates.ts";
import { CloseIcon } from "../ui/icons.tsx";
import { useAction } from "../ui/use-action.ts";

/**
 * The pages behind a message's links, in their own words. Strangers wrote them: the host of the link is always shown
 * beside it. Each card has the same height from the start, so nothing moves when its picture arrives.
 */
export function LinkPreviews({ message }: { message: ChatMessage }) {
  const mayRemove = useMayRemove(message);
  return (
    <ul className="link-previews">
      {message.previews?.map((preview, index) => (
        <Preview key={preview.url} {...{ message, preview, index, mayRemove }} />
      ))}
    </ul>
  );
}

/** True if the user may remove previews; the server decides in the end. */
function useMayRemove(message: ChatMessage): boolean {
  const self = useSelf();
  const moderates = useModerates(message.channel_id);
  return self !== null && (message.username === self || moderates);
}

interface PreviewProps {
  message: ChatMessage;
  preview: LinkPreview;
  index: number;
  mayRemove: boolean;
}

function Preview({ message, preview, index, mayRemove }: PreviewProps) {
  const parley = useParley();
  const texts = usePreviewTexts();
  const action = useAction();
  const { url, title, description, site_name, image_url } = preview;
  const host = URL.parse(url)?.host ?? url;
  const remove = async () => {
    try {
      await parley.client.group(Previews).remove(message.id, index, { url });
    } catch (error) {
      parley.showError(error);
    }
  };
  return (
    <li className={`link-preview${image_url === null ? "" : " pictured"}`}>
      <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
        {image_url !== null && <img src={image_url} alt="" loading="lazy" decoding="async" />}
        <span className="link-preview-text">
          <span className="muted link-preview-site">
            <bdi>{host}</bdi>
            {site_name !== null && site_name.toLowerCase() !== host && (
              <>
                {" · "}
                <bdi>{site_name}</bdi>
              </>
            )}
          </span>
          <bdi className="link-preview-title">{title}</bdi>
          {description !== null && <bdi className="link-preview-about">{description}</bdi>}
        </span>
      </a>
      {mayRemove && (
        <button
          type="button"
          className="icon-button"
          aria-label={texts.remove(host)}
          title={texts.remove(host)}
          disabled={action.isBusy}
          onClick={() => void action.run(remove)}
        >
          <CloseIcon />
        </button>
      )}
    </li>
  );
}
