import { ClaimPage } from "./claim-page.ts";

new ClaimPage(location.origin).start();
