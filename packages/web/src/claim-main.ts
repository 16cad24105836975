import { chosenLanguage, chosenTheme } from "./app/chosen.ts";
import { ClaimPage } from "./claim-page.ts";
import { reword, showChosen } from "./dom.ts";
import { CLAIM_WORDS } from "./texts/claim-words.ts";

const language = chosenLanguage();
showChosen(chosenTheme(), language);
const words = CLAIM_WORDS[language];
reword(words.page);
new ClaimPage(location.origin, words).start();
