import type { Emoji } from "@parley/protocol/emoji";
import { EMOJI_NAME_MAX } from "@parley/protocol/emoji-limits";
import { CustomEmoji } from "@parley/sdk/groups";
import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from "react";
import { useServerEmojiTexts } from "../i18n/hooks/use-server-emoji-texts.ts";
import { ADMINISTRATOR, useLevel, useParley, useSelf } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { CloseIcon } from "../ui/icons.tsx";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { useServerEmoji, written } from "./server-emoji.ts";
import { EmojiPicture } from "./server-picture.tsx";

const PREVIEW_PX = 64;

/** The emoji of the server: adds one, and lists them. */
export function EmojiWindow({ onClose }: { onClose(): void }) {
  const texts = useServerEmojiTexts();
  const policy = useSite()?.custom_emoji;
  const level = useLevel();
  const all = [...useServerEmoji().values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const mayAdd = policy === "members" || (policy === "administrators" && level >= ADMINISTRATOR);
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {mayAdd ? <AddEmoji /> : policy !== undefined && <p className="hint">{texts.onlyAdministrators}</p>}
      {all.length === 0 && <p className="hint">{texts.none}</p>}
      <ul className="server-emoji-list">
        {all.map((emoji) => (
          <Line key={emoji.name} emoji={emoji} />
        ))}
      </ul>
    </Dialog>
  );
}

/** Makes a name of a file's. */
const nameOf = (file: File): string =>
  file.name
    .replace(/\.[^.]*$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "_")
    .replace(/^[_-]+/, "")
    .slice(0, EMOJI_NAME_MAX);

function AddEmoji() {
  const { client, notices } = useParley();
  const texts = useServerEmojiTexts();
  const action = useAction();
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState("");
  // The same picture and name are sent once, however often the answer is lost.
  const key = useRef("");
  const form = useRef<HTMLFormElement>(null);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const chosen = target.files?.[0] ?? null;
    setFile(chosen);
    key.current = crypto.randomUUID();
    if (chosen !== null && name === "") setName(nameOf(chosen));
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (file === null) return;
    const isAdded = await action.run(() => client.group(CustomEmoji).add(name, file, { idempotencyKey: key.current }));
    if (!isAdded) return;
    notices.say(texts.added(written(name)));
    setFile(null);
    setName("");
    form.current?.reset();
  };
  return (
    <form className="stack add-emoji" ref={form} onSubmit={submit}>
      <Field
        label={texts.picture}
        hint={texts.pictureHint}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        required
        onChange={choose}
      />
      <Field
        label={texts.name}
        hint={texts.nameHint}
        value={name}
        maxLength={EMOJI_NAME_MAX}
        pattern="[a-z0-9][a-z0-9_\-]+"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        onChange={({ target }) => {
          key.current = crypto.randomUUID();
          setName(target.value);
        }}
      />
      {file !== null && (
        <p className="emoji-preview">
          <Preview file={file} label={texts.preview} /> <code translate="no">{written(name)}</code>
        </p>
      )}
      <Submit action={action}>{texts.add}</Submit>
    </form>
  );
}

/** Shows a picture before it is sent. A page may not show pictures from its own memory in any other way. */
function Preview({ file, label }: { file: File; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isOver = false;
    const draw = async () => {
      const picture = await createImageBitmap(file);
      const scale = Math.min(1, PREVIEW_PX / Math.max(picture.width, picture.height));
      const context = isOver ? null : canvas.current?.getContext("2d");
      context?.clearRect(0, 0, PREVIEW_PX, PREVIEW_PX);
      context?.drawImage(picture, 0, 0, picture.width * scale, picture.height * scale);
      picture.close();
    };
    // The server says what is wrong with the file.
    draw().catch(() => {});
    return () => {
      isOver = true;
    };
  }, [file]);
  return <canvas ref={canvas} width={PREVIEW_PX} height={PREVIEW_PX} role="img" aria-label={label} />;
}

function Line({ emoji }: { emoji: Emoji }) {
  const parley = useParley();
  const texts = useServerEmojiTexts();
  const self = useSelf();
  const level = useLevel();
  const action = useAction();
  const { name, username } = emoji;
  const remove = async () => {
    const text = written(name);
    const question = { title: texts.deleteNamed(text), text: texts.deleteQuestion(text), action: texts.delete };
    if (await parley.confirm.ask(question)) await action.run(() => parley.client.group(CustomEmoji).remove(name));
  };
  return (
    <li>
      <EmojiPicture emoji={emoji} />
      <span className="grow">
        <b translate="no">{written(name)}</b> {username !== null && <bdi className="muted">{username}</bdi>}
      </span>
      {(username === self || level > 0) && (
        <button
          type="button"
          className="icon-button"
          aria-label={texts.deleteNamed(written(name))}
          title={texts.delete}
          disabled={action.isBusy}
          onClick={() => void remove()}
        >
          <CloseIcon />
        </button>
      )}
      <ErrorLine text={action.error} />
    </li>
  );
}
