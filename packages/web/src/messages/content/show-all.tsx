import { useEffect, useRef, useState } from "react";
import { useWritingTexts } from "../../i18n/hooks/use-writing-texts.ts";

/**
 * The button that shows the whole of a long text, which is the element before it. It lies over the text's last line, so
 * nothing moves when it loads.
 */
export function ShowAll({ isStop, onOpen }: { isStop: boolean; onOpen(): void }) {
  const texts = useWritingTexts();
  const place = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  const open = useRef(onOpen);
  open.current = onOpen;
  useEffect(() => {
    const body = place.current?.previousElementSibling;
    if (body == null) return;
    // Only the observer measures, after the browser's own layout: measuring here would lay out each message by itself.
    const measure = () => setCut(body.scrollHeight > body.clientHeight + 1);
    // The browser scrolls it to what its own search finds, and to a link that takes the focus.
    const scrolled = () => body.scrollTop > 0 && open.current();
    const observer = new ResizeObserver(measure);
    for (const element of [body, ...body.children]) observer.observe(element);
    body.addEventListener("scroll", scrolled);
    return () => {
      observer.disconnect();
      body.removeEventListener("scroll", scrolled);
    };
  }, []);
  const press = () => {
    const row = place.current?.closest<HTMLElement>(".message");
    onOpen();
    // The button goes, and the focus would with it.
    row?.focus({ preventScroll: true });
  };
  return (
    <div className={isCut ? "show-all cut" : "show-all"} ref={place}>
      {isCut && (
        <button type="button" className="link" aria-expanded="false" tabIndex={isStop ? 0 : -1} onClick={press}>
          {texts.showAll}
        </button>
      )}
    </div>
  );
}
