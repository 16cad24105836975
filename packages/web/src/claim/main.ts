import { loadClaimTexts } from "../i18n/claim-texts.ts";
import { applyPreferences, storedLanguage, storedTheme } from "../state/stored-preferences.ts";
import { ClaimPage } from "./claim-page.ts";
import { translatePage } from "./dom.ts";

const language = storedLanguage();
const words = await loadClaimTexts(language).catch((error: unknown) => {
  console.error(error);
  return loadClaimTexts("en");
});
translatePage(words.page);
// Shows the page, too (claim.css).
applyPreferences(storedTheme(), language);
new ClaimPage(location.origin, words).start();
