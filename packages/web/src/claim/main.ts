import { CLAIM_TEXTS } from "../i18n/claim-texts.ts";
import { applyPreferences, storedLanguage, storedTheme } from "../state/stored-preferences.ts";
import { ClaimPage } from "./claim-page.ts";
import { translatePage } from "./dom.ts";

const language = storedLanguage();
applyPreferences(storedTheme(), language);
const words = CLAIM_TEXTS[language];
translatePage(words.page);
new ClaimPage(location.origin, words).start();
