import type { ChannelFile, FileKind } from "@parley/protocol/files";
import type { Channel } from "@parley/protocol/models";
import { useCallback, useEffect, useRef, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useFileTexts } from "../i18n/hooks/use-file-texts.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { FILE_KINDS, isPicture, kindOf, sizeText } from "../model/files/file-kind.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { hrefOf } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { DownloadIcon } from "../ui/icons.tsx";
import { ListEnd } from "../ui/list-end.tsx";
import { KindIcon } from "./file-card.tsx";
import { altOf } from "./pictures.tsx";

const PAGE = 30;

/** The files of a channel, newest first; one kind of them, or all. */
export function FilesPanel({ channelSession, channel }: { channelSession: ChannelSession; channel: Channel }) {
  const parley = useParley();
  const texts = useFileTexts();
  const [kind, setKind] = useState<FileKind | "all">("all");
  const load = useCallback(
    async (before: number | undefined) => {
      const query = { limit: PAGE, ...(before === undefined ? {} : { before }), ...(kind === "all" ? {} : { kind }) };
      const page = await parley.client.files.ofChannel(channel.id, query);
      return { items: page.files, next: page.next_before };
    },
    [parley, channel.id, kind],
  );
  const list = useList(load);
  useReload(channelSession, list.reload);
  const files = list.items ?? [];
  return (
    <div className="files-panel">
      <fieldset className="kinds">
        <legend className="visually-hidden">{texts.filter}</legend>
        {(["all", ...FILE_KINDS] as const).map((each) => (
          <label key={each}>
            <input type="radio" name="file-kind" checked={kind === each} onChange={() => setKind(each)} />
            {texts.kinds[each]}
          </label>
        ))}
      </fieldset>
      {kind === "image" ? (
        <PictureGrid files={files} />
      ) : (
        <ul className="file-entries">
          {files.map((file) => (
            <FileEntry key={file.file_id} file={file} slug={channel.channel_slug} />
          ))}
        </ul>
      )}
      <ListEnd list={list} none={texts.none} />
    </div>
  );
}

/** Reads the list again when a message with files comes or goes. */
function useReload(channelSession: ChannelSession, reload: () => void): void {
  const { messages } = useStore(channelSession.view);
  const newest = messages.findLast(({ files }) => files.length > 0)?.id ?? 0;
  const count = messages.reduce((sum, { files }) => sum + files.length, 0);
  const before = useRef({ newest, count });
  useEffect(() => {
    // More old messages were read, or nothing has changed.
    const isSame = before.current.newest === newest && before.current.count <= count;
    before.current = { newest, count };
    if (!isSame) reload();
  }, [newest, count, reload]);
}

function PictureGrid({ files }: { files: readonly ChannelFile[] }) {
  const parley = useParley();
  const texts = useFileTexts();
  const pictures = files.filter(isPicture);
  return (
    <div className="pictures">
      {pictures.map((picture, at) => (
        <button
          key={picture.file_id}
          type="button"
          className="picture"
          aria-label={texts.openPicture(altOf(picture, texts))}
          title={picture.name}
          onClick={() => parley.openDialog.set({ window: "pictures", pictures, at })}
        >
          <img src={picture.preview_url ?? picture.url} alt="" loading="lazy" decoding="async" />
        </button>
      ))}
    </div>
  );
}

function FileEntry({ file, slug }: { file: ChannelFile; slug: string }) {
  const texts = useFileTexts();
  const { name, size_bytes, url, sender, created_at, message_id, mime_type, preview_url } = file;
  const size = sizeText(size_bytes);
  return (
    <li className="file-card">
      <span className="kind">
        {kindOf(mime_type) === "image" && preview_url !== null ? (
          <img src={preview_url} alt="" loading="lazy" decoding="async" />
        ) : (
          <KindIcon mimeType={mime_type} />
        )}
      </span>
      <span className="about">
        <a className="name" href={hrefOf({ slug, messageId: message_id })} title={texts.toMessage}>
          <bdi>{name}</bdi>
        </a>
        <span className="muted">
          <bdi>{sender.name}</bdi> · {size} · {momentOf(created_at)}
        </span>
      </span>
      <a
        className="icon-button"
        href={url}
        download={name}
        aria-label={texts.downloadOf(name, size)}
        title={texts.download}
      >
        <DownloadIcon />
      </a>
    </li>
  );
}
