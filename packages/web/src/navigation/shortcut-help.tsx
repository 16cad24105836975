import { useNavigationTexts } from "../i18n/hooks/use-navigation-texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type Combination, SHORTCUTS, type ShortcutName } from "../ui/shortcuts.ts";
import { keyNames } from "./key-names.ts";

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);
const NAMES = Object.keys(SHORTCUTS) as ShortcutName[];
const PLACES = ["page", "message", "composer", "catchUp"] as const;

/** Lists all keyboard shortcuts. */
export function ShortcutHelp({ onClose }: { onClose(): void }) {
  const { shortcuts: texts } = useNavigationTexts();
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {PLACES.map((place) => (
        <section key={place} className="shortcuts">
          <h3>{texts.places[place]}</h3>
          <dl>
            {NAMES.filter((name) => SHORTCUTS[name].where === place).map((name) => (
              <div key={name}>
                <dt>{texts.names[name]}</dt>
                <dd>
                  {SHORTCUTS[name].combinations.map((each) => (
                    <Keys key={JSON.stringify(each)} combination={each} />
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p className="hint">{texts.typing}</p>
    </Dialog>
  );
}

function Keys({ combination }: { combination: Combination }) {
  return (
    <span className="keys">
      {keyNames(combination, isMac()).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
