import { LanguageContext } from "../i18n/use-texts.ts";
import type { Parley } from "../session/parley.ts";
import { ParleyContext } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { App } from "./app.tsx";
import { FailedPage } from "./failed-page.tsx";

/** The application with what its components read from their context. */
export function Page({ parley }: { parley: Parley }) {
  const language = useStore(parley.preferences.language);
  return (
    <LanguageContext value={language}>
      <ParleyContext value={parley}>
        <ErrorBoundary fallback={<FailedPage />}>
          <App />
        </ErrorBoundary>
      </ParleyContext>
    </LanguageContext>
  );
}
