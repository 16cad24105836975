import { useTexts } from "../i18n/use-texts.ts";
import { lazy } from "../session/lazy.tsx";
import type { Picking } from "./emoji-grid.tsx";

function Waiting() {
  const { app } = useTexts();
  return <p className="emoji-picker hint">{app.loading}</p>;
}

/** All emoji, to choose from. Its code and their names load when it is first shown. */
export const EmojiPicker = lazy<Picking>(async () => (await import("./picker.tsx")).Picker, Waiting);
