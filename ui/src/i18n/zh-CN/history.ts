import type en from "../en/history";
import type { Same } from "../shape";

export default {
  title: "历史",
} satisfies Same<typeof en>;
