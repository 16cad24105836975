import type { MouseEvent, ReactNode } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { lazy } from "../session/lazy.tsx";
import { useParley } from "../session/parley-context.ts";
import { ScrollBox } from "./elements.tsx";
import { COLOURED_MAX, languageNamed } from "./languages.ts";

const ColouredCode = lazy(async () => (await import("./coloured-code.tsx")).ColouredCode, PlainCode);

/** A block of code, which scrolls sideways. Its colours come with a chunk of their own, and its text never waits for it. */
export function CodeBlock({
  language,
  text,
  isStatic,
  children,
}: {
  /** As it was written. */
  language: string | null;
  text: string;
  isStatic: boolean;
  /** Shown instead of the text. */
  children: ReactNode;
}) {
  const { markdown: texts } = useTexts();
  const known = text.length > COLOURED_MAX ? null : languageNamed(language);
  const shown = children ?? (known === null ? text : <ColouredCode language={known} text={text} />);
  return (
    <div className="code-block" dir="ltr" translate="no">
      <ScrollBox label={texts.code(language)} isStatic={isStatic}>
        <pre>
          <code>{shown}</code>
        </pre>
      </ScrollBox>
      {!isStatic && <CopyButton text={text} />}
    </div>
  );
}

function PlainCode({ text }: { text: string }) {
  return text;
}

/** Copies code. Without clipboard access (plain http) it selects the code. */
function CopyButton({ text }: { text: string }) {
  const parley = useParley();
  const { markdown: texts } = useTexts();
  const copy = async ({ currentTarget }: MouseEvent<HTMLElement>) => {
    const code = currentTarget.parentElement?.querySelector("code");
    try {
      await navigator.clipboard.writeText(text);
      parley.notices.say(texts.codeCopied);
    } catch {
      if (code != null) getSelection()?.selectAllChildren(code);
      parley.notices.say(texts.codeNotCopied);
    }
  };
  return (
    <button type="button" className="copy secondary" onClick={(event) => void copy(event)}>
      {texts.copyCode}
    </button>
  );
}
