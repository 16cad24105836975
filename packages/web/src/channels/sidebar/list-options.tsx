import type { ChannelSorting } from "@parley/protocol/preferences";
import { useTexts } from "../../i18n/use-texts.ts";
import { useParley } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { MoreIcon } from "../../ui/icons.tsx";
import { Popover } from "../../ui/popover.tsx";

const SORTINGS: readonly ChannelSorting[] = ["name", "activity"];

/** The menu of the whole list: how it is sorted. */
export function ListOptions() {
  const parley = useParley();
  const { sidebar: texts } = useTexts();
  const { preferences } = parley.calls;
  const { sorting } = useStore(preferences.sidebar);
  const sort = (by: ChannelSorting, close: () => void) => {
    close();
    preferences.setSidebar({ sorting: by }).catch((error: unknown) => parley.showError(error));
  };
  return (
    <Popover label={texts.options} button={<MoreIcon />}>
      {(close) => (
        <div className="menu">
          <fieldset className="choice">
            <legend>{texts.sorting}</legend>
            {SORTINGS.map((each) => (
              <button key={each} type="button" aria-pressed={each === sorting} onClick={() => sort(each, close)}>
                {texts.sortings[each]}
              </button>
            ))}
          </fieldset>
        </div>
      )}
    </Popover>
  );
}
